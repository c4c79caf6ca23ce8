"""The page of a model is safe, small and fast to open."""

import re

import pytest
from model.report_pages import (
    HOSTILE,
    MODELS,
    cancer,
    hostile,
    lone_leaf,
    seven_classes,
)

from murtree._model.report.summary import summary_of
from murtree._table.predicate_text import printable
from murtree._tree.rules import rule_texts


def test_hostile_names_are_only_text(show):
    page = show(hostile(), title=HOSTILE[1])
    summary = summary_of(hostile())
    for index in range(len(summary["sizes"])):
        page.locator("#slider").fill(str(index))
    for node in page.locator(".node").all():
        node.click()
    for field in page.locator("#row-form input").all():
        field.fill("1")
    shown = page.evaluate("document.body.textContent")
    for name in HOSTILE:
        assert printable(name) in shown
    assert page.locator("img, iframe, script").count() == 2  # those of the page
    assert page.locator("[onerror], [onfocus]").count() == 0
    assert not re.search("[\x1b\u202e\u2028]", shown)
    assert page.title() == HOSTILE[1]


def test_content_policy_refuses_other_sources(browser, tmp_path):
    path = tmp_path / "page.html"
    lone_leaf().report(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.evaluate(
        """() => {
          window.refused = [];
          document.addEventListener("securitypolicyviolation",
            (event) => refused.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.harm = true";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "https://example.org/x.png";
          document.body.append(image);
          fetch("https://example.org/").catch(() => {});
        }"""
    )
    page.wait_for_function("refused.length === 3")
    found = set(page.evaluate("refused"))
    assert found == {"script-src-elem", "img-src", "connect-src"}
    assert page.evaluate("window.harm") is None
    page.close()


def test_rules_are_shown_without_scripts(show):
    page = show(cancer(), java_script_enabled=False)
    shown = page.locator("body").inner_text()
    assert "The drawing needs JavaScript" in shown
    for rule in rule_texts(cancer().tree).values():
        assert rule in shown
    assert not page.locator(".zoom").is_visible()


# --- size and speed -------------------------------------------------------------------


def test_page_of_seven_classes_at_depth_five_is_small_and_fast(show):
    assert len(seven_classes().report().encode("utf-8")) < 500_000
    assert seven_classes().tree.n_nodes == 31
    page = show(lone_leaf())
    session = page.context.new_cdp_session(page)
    # CPU time of the page's thread, independent of the load of the machine.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    path = page.url.replace("0.html", "1.html")
    show(seven_classes()).close()  # writes the page
    page.goto(path)
    found = session.send("Performance.getMetrics")["metrics"]
    seconds = {each["name"]: each["value"] for each in found}["TaskDuration"]
    assert page.locator(".node").count() == 63
    assert 0 < seconds < 1


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_page_opens_without_errors(show, name):
    page = show(MODELS[name]())
    assert page.locator(".node").count() == MODELS[name]().tree.feature.size
