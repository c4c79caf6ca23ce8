"""Regression tests for problems that a first user of the page reported."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from cli.tools import ok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model.report_pages import (
    cancer,
    churn,
    diabetes,
    long_names,
    one_size,
    prices,
    tree_of,
    tuned,
    tuned_values,
)

from murtree import Column, Model, Predicate
from murtree._model.report.render import render
from murtree._model.report.summary import summary_of


def text_of(page, selector):
    return page.locator(selector).inner_text()


# --- dates ----------------------------------------------------------------------------


def dated(limit):
    """Return a model with one test, a date against a limit."""
    tree = tree_of(Column("when", "datetime"), Predicate(0, limit, missing=True))
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
    ("limit", "shown"),
    [(86400.0, "not a whole date"), (43200.0, "not a date: it needs a time too")],
)
def test_incomplete_date_is_not_a_missing_value(show, limit, shown):
    page = show(dated(limit))
    field = page.get_by_label("when", exact=True)
    field.focus()
    page.keyboard.type("0102")  # month and day; no year, no time
    assert field.get_attribute("aria-invalid") == "true"
    assert text_of(page, ".wrong") == shown
    assert text_of(page, "#row-result") == f"The path stops here: when is {shown}."
    assert page.locator(".node.on-path").count() == 1
    page.get_by_role("button", name="Clear").click()
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator(".on-path").count() == 0


def test_incomplete_date_is_cleared_with_another_size(show):
    page = show(churn())
    field = page.locator("#row-form input[type=date]").first
    field.focus()
    page.keyboard.type("01")
    assert field.get_attribute("aria-invalid") == "true"
    for index in (0, summary_of(churn())["chosen"]):
        page.locator("#slider").fill(str(index))
    assert page.locator('[aria-invalid="true"], .on-path').count() == 0


# --- classes named as branches are ----------------------------------------------------


def test_classes_yes_and_no_are_not_confused_with_branches(show):
    page = show(churn())
    titles = set(page.locator(".leaf .node-title").all_text_contents())
    assert titles == {"class Yes", "class No"}
    assert set(page.locator(".answer").all_text_contents()) == {"yes", "no"}
    names = page.locator("#details .answers dt").all_inner_texts()
    assert names == ["If so", "Otherwise"]
    for element in page.locator(".node").all()[1:]:
        shown = element.get_attribute("aria-label")
        assert re.match("(if so|otherwise): (leaf, class (Yes|No), |is )", shown)
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
def test_result_is_visible_while_typing(show, width, height):
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
        shown = " ".join(element.locator("text").all_text_contents())
        spoken = element.get_attribute("aria-label")
        is_no = has_missing and not predicate.missing
        assert shown.endswith(" missing → no") == is_no
        assert spoken.endswith(", missing values: otherwise") == is_no
        assert ("missing" in shown) == has_missing
        seen.add((has_missing, has_missing and bool(predicate.missing)))
    assert seen == {(False, False), (True, False), (True, True)}


ABOVE = """() => [...document.querySelectorAll(".node")].map((node) => {
  const texts = [...node.querySelectorAll("text")].map((text) => text.getBBox());
  const bar = node.querySelector(".bar").transform.baseVal[0].matrix.f;
  return bar - Math.max(...texts.map(({ y, height }) => y + height));
})"""


def test_text_does_not_touch_the_bars(show):
    assert min(show(churn()).evaluate(ABOVE)) >= 2  # pixels


# --- the chart ------------------------------------------------------------------------


@pytest.mark.parametrize("model", [churn, cancer, diabetes])
def test_the_axis_of_errors_ends_in_a_round_number(show, model):
    page = show(model())
    texts = page.locator(".axes .tick.end").all_text_contents()
    ticks = [float(text.rstrip("%").replace(",", "")) for text in texts]
    assert ticks == [index * ticks[1] for index in range(len(ticks))]
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
    read = "(number) => ticksBetween(0, number, roundStep(number))"
    ticks = functions.evaluate(read, number)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 6
    assert ticks[-2] < number <= ticks[-1] * (1 + 1e-8)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_curves_do_not_use_class_colours(show, scheme):
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

    shown = text_of(show(SimpleNamespace(report=report)), "#size-facts")
    assert ("Still the best with up to" in shown) == (status == "optimal")


# --- regression, and many classes -----------------------------------------------------


def test_chart_labels_are_not_cut_off(show):
    page = show(prices())
    inside = """() => [...document.querySelectorAll(".chart text")].map((text) => {
        const box = text.getBBox(); return [text.textContent, box.x, box.x + box.width];
    })"""
    labels = page.evaluate(inside)
    assert {"20,000", "100,000"} <= {text for text, *_ in labels}
    for _, left, right in labels:
        assert 0 <= left < right <= 420
    shown = text_of(page, "#size-facts")
    assert re.search(r"Training RMSE\s[\d,]+ \(R² 0\.\d{3}\)", shown)
    assert re.search(r"Validation RMSE\s[\d,]+ \(R² -?0\.\d{3}\)", shown)


def test_many_classes_leave_space_for_the_rule_and_the_row(show):
    page = show(long_names())
    top = page.locator("#details").bounding_box()["y"]
    for control in ("#details .copy", "#row-title"):
        assert page.locator(control).bounding_box()["y"] - top < 800
    assert page.locator("#details tbody tr").count() == 5
    assert "51 classes more with" in text_of(page, "#details")
    assert page.locator("#legend li").count() <= 9  # plus the number of omitted classes


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


def test_page_and_terminal_omit_the_same_number_of_classes(show, tmp_path):
    page = show(long_names())
    long_names().save(tmp_path / "model.json")
    shown = text_of(page, "#classes .note")
    assert shown == "44 classes with fewer errors left out."
    assert shown in ok("show", tmp_path / "model.json").out.splitlines()


def test_a_column_of_0_and_1_is_a_choice_of_no_and_yes(show):
    page = show(long_names())
    assert text_of(page, "#details").startswith("First test\nIf so\nanimation = no")
    field = page.get_by_label("animation", exact=True)
    assert field.locator("option").all_inner_texts() == ["missing", "no", "yes"]
    field.select_option(label="yes")
    steps = page.locator("#row-steps li").all_inner_texts()
    assert steps[0] == "animation = no: does not hold"


# --- sizes that were compared ---------------------------------------------------------


def test_a_tuned_model_has_a_chart_and_a_table_of_sizes(show):
    page = show(tuned())
    tuning = tuned().tuning
    ticks = page.locator("#tuning-chart .tick").all_text_contents()
    assert ticks[-2:] == ["accuracy, mean of 3 folds", "nodes"]
    n_numbers = len({size.max_num_nodes for size in tuning.sizes})
    for name in ("train_error", "validation_error"):
        assert page.locator(f"#tuning-chart g.{name} circle").count() == n_numbers
    assert page.locator("#tuning-chart .chart .own").count() == 1
    keys = page.locator("#tuning-chart .key").all_inner_texts()
    assert keys[-1].strip() == "the majority alone"
    assert page.locator("#tuned tbody tr").count() == len(tuning.sizes)
    chosen = page.locator("#tuned .chosen")
    assert "chosen" in chosen.inner_text()
    table, row = page.locator("#tuned").bounding_box(), chosen.bounding_box()
    assert table["y"] <= row["y"]
    assert row["y"] + row["height"] <= table["y"] + table["height"] + 1


def test_marks_of_scores_lie_within_their_chart(show):
    page = show(tuned())
    frame = page.locator("#tuning-chart .axes path").bounding_box()
    low, high = frame["y"] - 9, frame["y"] + frame["height"] + 9  # a diamond is large
    for mark in page.locator("#tuning-chart .chart :is(circle, .own, .whiskers)").all():
        box = mark.bounding_box()
        assert low <= box["y"]
        assert box["y"] + box["height"] <= high


def test_tuned_prices_have_no_chart(show):
    page = show(tuned_values())
    assert page.locator("#tuning-chart svg").count() == 0
    assert page.locator("#tuned tbody tr").count() == len(tuned_values().tuning.sizes)


def test_compared_sizes_fit_a_phone(show):
    page = show(tuned(), width=390)
    wide = page.evaluate("byId('tuned').scrollWidth - byId('tuned').clientWidth")
    assert wide <= 0


def test_one_size_has_its_errors_in_the_header(show):
    page = show(one_size())
    size = summary_of(one_size())["sizes"][0]
    shown = text_of(page, "#facts")
    for rows in ("train", "validation"):
        assert f"(R² {size[f'{rows}_r2']:.3f})" in shown
    assert "Training RMSE" in shown
    assert "Validation RMSE" in shown


@pytest.mark.parametrize(
    ("model", "name"),
    [(cancer, "misclassified share"), (prices, "root mean squared error")],
)
def test_the_axis_of_errors_is_named(show, model, name):
    page = show(model())
    assert page.locator("#chart .tick.start").text_content() == name
