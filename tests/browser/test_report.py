"""The page of a model in a browser: sizes, nodes and rows."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from model.report_pages import (
    cancer,
    diabetes,
    mixed,
    mixed_table,
    not_proven,
    seven_classes,
)
from oracle.tree_strategies import cases

from murtree import Model, Size, Solver
from murtree._model.report.summary import summary_of
from murtree._tree.rules import rule_texts


def text_of(page, selector):
    return page.locator(selector).inner_text()


def leaves_of(tree):
    return np.flatnonzero(tree.feature < 0).tolist()


# --- sizes ----------------------------------------------------------------------------


def slide(page, index):
    page.locator("#slider").fill(str(index))


def test_slider_changes_the_tree(show):
    model = cancer()
    page = show(model)
    summary = summary_of(model)
    assert page.locator("#slider").input_value() == str(summary["chosen"])
    for index, size in enumerate(summary["sizes"]):
        slide(page, index)
        tree = model.sizes[size["limits"][0]].tree
        assert page.locator(".node").count() == tree.feature.size
        assert page.locator("#rules tr").count() == tree.n_leaves
        assert text_of(page, "#slider-value") == str(tree.n_nodes)
        facts = text_of(page, "#size-facts")
        for error in (size["train_error"], size["validation_error"]):
            assert f"{error:.1%}" in facts
        shown = text_of(page, "#size-proof")
        assert shown.startswith(size["proof"]["badge"])
        is_own = index == summary["chosen"]  # the header already shows it
        assert (size["proof"]["text"] in shown) != is_own
        shown = page.locator("#slider").get_attribute("aria-valuetext")
        assert f"training error {size['train_error']:.1%}" in shown


def test_chosen_and_best_size_can_be_selected_by_click(show):
    page = show(cancer())
    summary = summary_of(cancer())
    assert summary["best"] != summary["chosen"]
    page.get_by_role("button", name="Best in validation").click()
    assert page.locator("#slider").input_value() == str(summary["best"])
    page.get_by_role("button", name="own").click()
    assert page.locator("#slider").input_value() == str(summary["chosen"])


def test_click_on_the_chart_selects_the_nearest_size(show):
    page = show(cancer())
    circle = page.locator(".train_error circle").nth(1).bounding_box()
    page.mouse.click(circle["x"] + 8, circle["y"] - 5)
    assert page.locator("#slider").input_value() == "1"


def test_single_size_has_no_slider(show):
    assert show(mixed()).locator("#slider").count() == 0


def test_unproven_sizes_are_marked(show):
    page = show(not_proven())
    badge = page.locator("header .badge")
    assert badge.inner_text() == f"gap {not_proven().proof.gap:.1%}"
    assert "The time limit of 1 s ended the search." in text_of(page, "header")
    assert page.locator(".train_error circle.open").count() == 1
    slide(page, 1)
    assert "proven optimal" in text_of(page, "#size-proof")


# --- nodes ----------------------------------------------------------------------------


def check_panel(page, tree, node):
    """Check the content of a node's panel."""
    shown = text_of(page, "#details")
    weight = int(tree.node_weight[node])
    assert f"{weight:,} ({weight / tree.node_weight[0]:.1%} of all)" in shown
    names = page.locator("#details tbody th").all_inner_texts()
    counts = page.locator("#details tbody td:nth-child(2)").all_inner_texts()
    counts = dict(zip(names, counts, strict=True))
    expected = zip(tree.classes.tolist(), tree.value[node].tolist(), strict=True)
    assert counts == {name: f"{count:,}" for name, count in expected if count}
    if tree.feature[node] < 0:
        parts = page.locator("#details .rule li").all_inner_texts()
        assert " and ".join(parts) == rule_texts(tree)[node]


def test_a_click_shows_rows_counts_and_rule(show):
    model = cancer()
    page = show(model)
    for node in range(model.tree.feature.size):
        page.locator(f'[data-node="{node}"]').click()
        check_panel(page, model.tree, node)
        chosen = page.locator('.node[aria-selected="true"]')
        assert chosen.get_attribute("data-node") == str(node)


def test_arrows_move_between_nodes(show):
    tree = cancer().tree
    page = show(cancer())
    page.locator('[data-node="0"]').focus()
    left, right = int(tree.children_left[0]), int(tree.children_right[0])
    for key, node in (
        ("ArrowUp", 0),
        ("ArrowDown", left),
        ("ArrowRight", right),
        ("ArrowRight", right),
        ("ArrowDown", int(tree.children_left[right])),
        ("ArrowLeft", int(tree.children_right[left])),
        ("ArrowUp", left),
        ("End", tree.feature.size - 1),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.node") == str(node)
        check_panel(page, tree, node)
        assert page.locator('.node[tabindex="0"]').count() == 1


def test_arrows_follow_an_outline(show):
    tree = seven_classes().tree
    page = show(seven_classes(), width=390)
    page.locator('[data-node="0"]').focus()
    for key, node in (
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("ArrowLeft", 0),
        ("ArrowRight", int(tree.children_left[0])),
    ):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.node") == str(node)


def test_a_rule_can_be_copied(show):
    page = show(cancer(), permissions=["clipboard-read", "clipboard-write"])
    leaf = leaves_of(cancer().tree)[-1]
    page.locator(f'[data-node="{leaf}"]').click()
    page.get_by_role("button", name="Copy the rule").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == rule_texts(cancer().tree)[leaf]


def test_nodes_have_names_for_screen_readers(show):
    page = show(cancer())
    for element in page.locator(".node").all():
        assert element.get_attribute("role") == "treeitem"
        assert re.search(r"\d+ rows", element.get_attribute("aria-label"))
    assert page.get_by_role("tree").count() == 1


# --- a row ----------------------------------------------------------------------------

PATHS = """([summary, rows]) => {
  const tree = summary.sizes[0].tree;
  return [
    rows.map((codes) => pathOf(tree, summary.tests, codes).pop()),
    tree.left.map((_, node) => ruleText(summary, tree, node)),
  ];
}"""


@pytest.mark.filterwarnings("ignore:Column .* holds categories that fit did not see")
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(case=cases())
def test_each_row_follows_the_path_of_the_tree(functions, case):
    tree = case.tree
    summary = summary_of(Model.of(tree))
    used = [column["place"] for column in summary["columns"]]
    rows = tree.encode(case.table)[:, used].tolist()
    leaves, rules = functions.evaluate(PATHS, [summary, rows])
    assert leaves == tree.apply(case.table).tolist()
    assert {leaf: rules[leaf] for leaf in leaves_of(tree)} == rule_texts(tree)


def typed(value):
    """Return a value as a user types or selects it."""
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    kind = type(value).__name__
    if kind == "Timestamp":
        return value.date().isoformat()  # all limits are at midnight
    if kind == "Timedelta":
        return f"{value.days} days {value.seconds // 3600:02}:00"
    return str(value)


def fill(page, name, value):
    field = page.get_by_label(name, exact=True)
    if field.evaluate("field => field.tagName") == "SELECT":
        label = typed(value)
        field.select_option(**({"label": label} if label else {"value": ""}))
    else:
        field.fill(typed(value))


def test_typed_values_give_the_prediction_of_the_model(show):
    model, (table, _) = mixed(), mixed_table()
    tree = model.tree
    tested = {tree.known_columns[index].name for index in tree.feature if index >= 0}
    assert len(tested) >= 4  # out of six kinds
    page = show(model)
    leaves = tree.apply(table)
    rows = [np.flatnonzero(leaves == leaf)[0] for leaf in leaves_of(tree)]
    rows += np.flatnonzero(table[sorted(tested)].isna().any(axis=1))[:3].tolist()
    for row in rows:
        for name in sorted(tested):
            fill(page, name, table[name].iloc[row])
        last = page.locator(".node.on-path").last
        assert last.get_attribute("data-node") == str(leaves[row])
        right = int(tree.value[leaves[row]].max())
        weight = int(tree.node_weight[leaves[row]])
        expected = f"→ class {tree.predict(table)[row]} ({right} of {weight})"
        assert text_of(page, "#row-result") == expected
        assert page.locator("#row-steps li").count() == (
            page.locator(".node.on-path").count() - 1
        )
    assert page.locator("#row-result").get_attribute("role") == "status"
    page.get_by_role("button", name="Clear").click()
    assert page.locator(".on-path").count() == 0


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("number", "1e3", 1000),
        ("number", "-.5", -0.5),
        ("number", " 7 ", 7),
        ("number", "seven", None),
        ("time", "12:30", 45000),
        ("time", "00:00:01.5", 1.5),
        ("time", "noon", None),
        ("datetime", "1970-01-02T00:00", 86400),
        ("datetime", "1969-12-31T23:59:59.5", -0.5),
        ("datetime", "1970-01-03", 172800),
        ("datetime", "soon", None),
        ("datetime", "?", None),
        ("time", "?", None),
        ("duration", "2 days 03:30", 185400),
        ("duration", "-1 day", -86400),
        ("duration", "36:00:00", 129600),
        ("duration", "90", 90),
        ("duration", "a while", None),
    ],
)
def test_typed_values_are_encoded(functions, kind, text, code):
    read = "([kind, text]) => codeOf({kind, takes_missing: true}, text) ?? null"
    assert functions.evaluate(read, [kind, text]) == code


def test_invalid_numbers_are_reported(show):
    page = show(diabetes())
    field = page.locator("#row-form input").first
    for text in ("seven", "4,5"):
        field.fill(text)
        assert field.get_attribute("aria-invalid") == "true"
        assert page.locator(".wrong").first.inner_text() == "not a number"
        assert text_of(page, "#row-result").endswith("is not a number.")
    field.fill("7")
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator(".wrong").first.inner_text() == ""
    assert text_of(page, "#row-result").startswith("→ ")


def test_required_values_are_requested(show):
    tree = Solver([[0, 0], [0, 1], [1, 0]], [0, 1, 1]).solve(max_depth=2).tree
    bare = replace(Model.of(tree), sizes=(Size(tree, None, 0.0),))
    page = show(bare)
    first, second = page.locator("#row-form select").all()
    first.select_option(label="no")
    name = tree.known_columns[tree.feature[1]].name
    assert text_of(page, "#row-result") == f"{name} is needed."
    second.select_option(label="no")
    assert text_of(page, "#row-result") == "→ class 0 (1 of 1)"


def test_missing_and_unknown_values_can_be_chosen(show):
    page = show(mixed())
    options = page.get_by_label("colour", exact=True).locator("option")
    names = options.all_inner_texts()
    assert names == ["missing or unknown", "blue", "green", "grey", "red"]


def test_typed_values_are_kept_for_another_size(show):
    page = show(cancer())
    field = page.locator("#row-form input").first
    field.fill("3")
    identifier = field.get_attribute("id")
    slide(page, 1)
    slide(page, summary_of(cancer())["chosen"])
    assert page.locator(f"#{identifier}").input_value() == "3"
    assert page.locator(".on-path").count() > 0
