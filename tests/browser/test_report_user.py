"""What a first user of the page stumbled over: it must not happen again."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_pages import cancer, churn, diabetes, long_names, prices, stump

from murtree import Column, Model, Predicate
from murtree._report.render import render
from murtree._report.summary import summary_of


def text_of(page, selector):
    return page.locator(selector).inner_text()


# --- dates ----------------------------------------------------------------------------


def dated(limit):
    """Return a model with one test, of a date against a limit."""
    tree = stump(Column("when", "datetime"), Predicate(0, limit, missing=True))
    return Model.of(tree)


def test_a_column_of_days_asks_for_a_day(show):
    page = show(dated(86400.0 * 365))
    field = page.get_by_label("when", exact=True)
    assert field.get_attribute("type") == "date"
    field.fill("1971-01-01")  # the limit itself
    assert text_of(page, "#row-result").startswith("→ class a")
    field.fill("1971-01-02")
    assert text_of(page, "#row-result").startswith("→ class b")


@pytest.mark.parametrize(
    ("limit", "said"),
    [(86400.0, "not a whole date"), (43200.0, "not a date: it needs a time too")],
)
def test_half_a_date_is_no_missing_value(show, limit, said):
    page = show(dated(limit))
    field = page.get_by_label("when", exact=True)
    field.focus()
    page.keyboard.type("0102")  # month and day; no year, no time
    assert field.get_attribute("aria-invalid") == "true"
    assert text_of(page, ".wrong") == said
    assert text_of(page, "#row-result") == f"The path stops here: when is {said}."
    assert page.locator(".node.on-path").count() == 1
    page.get_by_role("button", name="Clear").click()
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator(".on-path").count() == 0


def test_half_a_date_is_gone_with_another_size(show):
    page = show(churn())
    field = page.locator("#row-form input[type=date]").first
    field.focus()
    page.keyboard.type("01")
    assert field.get_attribute("aria-invalid") == "true"
    for place in (0, summary_of(churn())["chosen"]):
        page.locator("#slider").fill(str(place))
    assert page.locator('[aria-invalid="true"], .on-path').count() == 0


# --- classes named as branches are ----------------------------------------------------


def test_classes_yes_and_no_are_no_branches(show):
    page = show(churn())
    titles = set(page.locator(".leaf .node-title").all_text_contents())
    assert titles == {"class Yes", "class No"}
    assert set(page.locator(".answer").all_text_contents()) == {"yes", "no"}
    names = page.locator("#details .answers dt").all_inner_texts()
    assert names == ["If so", "Otherwise"]
    for element in page.locator(".node").all()[1:]:
        said = element.get_attribute("aria-label")
        assert re.match("(if so|otherwise): (leaf, class (Yes|No), |is )", said)
    page.locator("#row-form input[type=text]").first.fill("1")
    steps = page.locator("#row-steps li").all_inner_texts()
    assert steps
    assert all(re.search(": (holds|does not hold)$", step) for step in steps)


def test_other_classes_are_named_alone_in_leaves(show):
    titles = show(cancer()).locator(".leaf .node-title").all_text_contents()
    assert set(titles) == {"benign", "malignant"}


# --- the answer stays in sight --------------------------------------------------------

ON_TOP = """(element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const found = document.elementFromPoint(left + width / 2, top + height / 2);
  return element.contains(found) && top >= 0 && top + height <= innerHeight;
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1280, 500), (390, 844)])
def test_who_types_sees_the_answer(show, width, height):
    page = show(churn(), width=width, height=height)
    fields = page.locator("#row-form input, #row-form select").all()
    assert len(fields) >= 6
    for field in fields:
        field.scroll_into_view_if_needed()
        if field.get_attribute("type") == "text":
            field.fill("50")
        field.focus()
        assert field.evaluate(ON_TOP)
        assert page.locator("#row-result").evaluate(ON_TOP)


def test_the_side_can_be_scrolled_to_its_end(show):
    page = show(churn(), height=500)
    page.locator("#row-form input[type=text]").first.fill("50")
    last = page.locator("#row-steps li").last
    last.scroll_into_view_if_needed()
    assert last.evaluate(ON_TOP)


# --- missing values -------------------------------------------------------------------


def test_nodes_say_where_missing_values_go(show):
    tree = churn().tree
    page = show(churn())
    seen = set()
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        predicate = tree.predicate(node)
        has_missing = tree.columns[predicate.column].has_missing
        element = page.locator(f'[data-node="{node}"]')
        said = " ".join(element.locator("text").all_text_contents())
        spoken = element.get_attribute("aria-label")
        is_no = has_missing and not predicate.missing
        assert said.endswith(" missing → no") == is_no
        assert spoken.endswith(", missing values: otherwise") == is_no
        assert ("missing" in said) == has_missing
        seen.add((has_missing, has_missing and bool(predicate.missing)))
    assert seen == {(False, False), (True, False), (True, True)}


ABOVE = """() => [...document.querySelectorAll(".node")].map((node) => {
  const texts = [...node.querySelectorAll("text")].map((text) => text.getBBox());
  const bar = node.querySelector(".bar").transform.baseVal[0].matrix.f;
  return bar - Math.max(...texts.map(({ y, height }) => y + height));
})"""


def test_letters_keep_off_the_bars(show):
    assert min(show(churn()).evaluate(ABOVE)) >= 2  # pixels


# --- the chart ------------------------------------------------------------------------


@pytest.mark.parametrize("model", [churn, cancer, diabetes])
def test_the_axis_of_errors_ends_in_a_round_number(show, model):
    page = show(model())
    texts = page.locator(".axes .tick.end").all_text_contents()
    ticks = [float(text.rstrip("%").replace(",", "")) for text in texts]
    assert ticks == [place * ticks[1] for place in range(len(ticks))]
    assert 3 <= len(ticks) <= 6
    assert f"{ticks[1]:e}"[:3] in {"1.0", "2.0", "5.0"}
    worst = max(size["train_error"] for size in summary_of(model())["sizes"])
    worst *= 100 if texts[-1].endswith("%") else 1
    assert ticks[-2] < worst <= ticks[-1]
    tops = page.locator(".curve circle").evaluate_all(
        "circles => circles.map((circle) => circle.cy.baseVal.value)"
    )
    assert min(tops) >= 12


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(number=st.floats(1e-9, 1e12))
def test_a_round_step_reaches_every_number(functions, number):
    read = "(number) => ticksTo(number, roundStep(number))"
    ticks = functions.evaluate(read, number)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 6
    assert ticks[-2] < number <= ticks[-1] * (1 + 1e-8)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_curves_have_no_colours_of_classes(show, scheme):
    page = show(churn(), color_scheme=scheme)
    drawn = page.locator(".curve polyline, .curve circle, .marks .own")
    strokes = set(
        drawn.evaluate_all("all => all.map((e) => getComputedStyle(e).stroke)")
    )
    assert len(strokes) == 2
    for stroke in strokes:
        parts = [int(part) for part in re.findall(r"\d+", stroke)[:3]]
        assert max(parts) - min(parts) < 12  # grey
    dashes = "element => getComputedStyle(element).strokeDasharray"
    assert (
        page.locator("#chart .chart .validation_error polyline").evaluate(dashes)
        != "none"
    )
    assert (
        page.locator("#chart .chart .train_error polyline").evaluate(dashes) == "none"
    )


# --- what is not proven ---------------------------------------------------------------


@pytest.mark.parametrize("status", ["optimal", "time_limit", None])
def test_only_a_proven_tree_is_still_the_best(show, status):
    summary = summary_of(churn())
    size = summary["sizes"][summary["chosen"]]
    assert size["limits"][1] > size["nodes"]
    size["proof"] = None if status is None else size["proof"] | {"status": status}

    def report(path, title):
        path.write_text(render(summary), encoding="utf-8")

    said = text_of(show(SimpleNamespace(report=report)), "#size-facts")
    assert ("Still the best with up to" in said) == (status == "optimal")


# --- regression, and many classes -----------------------------------------------------


def test_labels_of_the_chart_are_whole(show):
    page = show(prices())
    inside = """() => [...document.querySelectorAll(".chart text")].map((text) => {
        const box = text.getBBox(); return [text.textContent, box.x, box.x + box.width];
    })"""
    labels = page.evaluate(inside)
    assert {"20,000", "100,000"} <= {text for text, *_ in labels}
    for _, left, right in labels:
        assert 0 <= left < right <= 420
    said = text_of(page, "#size-facts")
    assert re.search(r"Training RMSE\s[\d,]+ \(R² 0\.\d{3}\)", said)
    assert re.search(r"Validation RMSE\s[\d,]+ \(R² -?0\.\d{3}\)", said)


def test_many_classes_leave_room_for_the_rule_and_the_row(show):
    page = show(long_names())
    top = page.locator("#details").bounding_box()["y"]
    for control in ("#details .copy", "#row-title"):
        assert page.locator(control).bounding_box()["y"] - top < 800
    assert page.locator("#details tbody tr").count() == 5
    assert "51 classes more with" in text_of(page, "#details")
    assert page.locator("#legend li").count() <= 9  # and how many more there are


def test_names_of_classes_are_broken_between_words(show):
    page = show(long_names())
    broken = """() => [...document.querySelectorAll(".named > span:last-child")].map(
        (name) => {
            const range = document.createRange(), text = name.firstChild;
            return [...text.data.matchAll(/\\S+/g)].filter((word) => {
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                return range.getClientRects().length > 1;
            }).length;
        })"""
    found = page.evaluate(broken)
    assert len(found) > 10
    assert sum(found) == 0
    # Such names would be too wide, or broken, as heads of a confusion matrix.
    assert "Taken for" in text_of(page, "#classes")


def test_recall_and_confusions_follow_the_size(show):
    model = cancer()
    page = show(model)
    tree = model.tree
    predicted = tree.labels[tree.feature < 0]
    weights = tree.value[tree.feature < 0]
    matrix = np.array([weights[predicted == label].sum(axis=0) for label in (0, 1)]).T
    rows = page.locator("#classes tbody tr")
    for row, counts in enumerate(matrix):
        cells = rows.nth(row).locator("td").all_inner_texts()
        recall = f"{counts[row] / counts.sum():.1%}"
        assert cells == [str(counts.sum()), recall, *map(str, counts)]
    page.locator("#slider").fill("0")
    assert "100.0%" in text_of(page, "#classes")
    assert "0.0%" in text_of(page, "#classes")


def test_a_column_of_0_and_1_is_a_choice_of_no_and_yes(show):
    page = show(long_names())
    assert text_of(page, "#details").startswith("First test\nIf so\nanimation = no")
    field = page.get_by_label("animation", exact=True)
    assert field.locator("option").all_inner_texts() == ["missing", "no", "yes"]
    field.select_option(label="yes")
    steps = page.locator("#row-steps li").all_inner_texts()
    assert steps[0] == "animation = no: does not hold"
