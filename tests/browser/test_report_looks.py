"""Appearance of the page: contrast, layout, keyboard, print, phones."""

import pytest
from model.report_pages import MODELS, cancer, mixed, seven_classes

EVERY_MODEL = pytest.mark.parametrize("name", sorted(MODELS))
CONTRAST = """() => {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const parts = (colour) => {  // whatever way it is written
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const over = (front, back) => [0, 1, 2]
    .map((k) => front[k] * front[3] + back[k] * (1 - front[3])).concat(1);
  const light = (colour) => colour.slice(0, 3)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, k) => sum + part * [0.2126, 0.7152, 0.0722][k], 0);
  const ratio = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    if (!element) return [1, 1, 1, 1];
    const box = element.classList.contains("node") && element.querySelector(".box");
    const style = getComputedStyle(box || element);
    const here = parts(box ? style.fill : style.backgroundColor);
    return here[3] === 1 ? here : over(here, ground(element.parentElement));
  };
  const found = [];
  const check = (element, colour, what) => {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const back = ground(element);
    const found_ratio = ratio(over(parts(colour), back), back);
    found.push({ what, ratio: found_ratio, needs: isLarge ? 3 : 4.5 });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!text || ["SCRIPT", "STYLE", "OPTION"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ checkVisibilityCSS: true })) continue;
    const isDrawn = element.namespaceURI.endsWith("svg");
    const style = getComputedStyle(element);
    check(element, isDrawn ? style.fill : style.color, text);
  }
  for (const field of document.querySelectorAll("input, select")) {
    check(field, getComputedStyle(field).color, field.id);
    if (!field.placeholder) continue;
    check(field, getComputedStyle(field, "::placeholder").color, field.id);
  }
  return found;
}"""


def use(page):
    """Select a leaf and enter a row, so that all texts are shown."""
    page.locator(".node").last.click()
    field = page.locator("#row-form input[type=text]")
    if field.count():
        field.first.fill("1")


def check_room(page):
    """Check that the page is no wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@EVERY_MODEL
def test_all_text_has_enough_contrast(show, name, scheme):
    page = show(MODELS[name](), color_scheme=scheme, reduced_motion="reduce")
    use(page)
    found = page.evaluate(CONTRAST)
    assert len(found) > 25
    low = [each for each in found if each["ratio"] < each["needs"]]
    assert not low
    check_room(page)


def test_the_button_changes_the_colours(show):
    page = show(cancer(), color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(ground) != before
    assert not [e for e in page.evaluate(CONTRAST) if e["ratio"] < e["needs"]]
    page.reload()  # the choice is kept while the page is open
    assert page.evaluate(ground) != before
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(ground) == before


@EVERY_MODEL
def test_page_fits_a_phone(show, name):
    page = show(MODELS[name](), width=390, height=844, has_touch=True)
    use(page)
    check_room(page)
    inside = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select")]
          .filter((element) => element.checkVisibility())
          .map((element) => element.getBoundingClientRect())
          .map(({ left, right }) => left >= 0 && right <= innerWidth)"""
    )
    assert all(inside)


BOXES = """() => [...document.querySelectorAll(".node")].map((node) => {
  const box = node.querySelector(".box").getBoundingClientRect();
  const { left, top, right, bottom } = box;
  const texts = [...node.querySelectorAll("text")]
    .map((text) => text.getBoundingClientRect())
    .map((text) => text.left >= left - 1 && text.right <= right + 1
      && text.top >= top - 1 && text.bottom <= bottom + 1);
  return { left, top, right, bottom, texts };
})"""


@pytest.mark.parametrize("width", [390, 800, 1280, 1900])
@EVERY_MODEL
def test_texts_fit_their_boxes_and_boxes_do_not_overlap(show, name, width):
    page = show(MODELS[name](), width=width)
    boxes = page.evaluate(BOXES)
    assert all(all(box["texts"]) and box["texts"] for box in boxes)
    for index, a in enumerate(boxes):
        for b in boxes[:index]:
            beside = a["right"] <= b["left"] or b["right"] <= a["left"]
            above = a["bottom"] <= b["top"] or b["bottom"] <= a["top"]
            assert beside or above


def test_text_of_a_deep_tree_is_not_tiny(show):
    for width in (390, 1280, 1900):
        page = show(seven_classes(), width=width)
        scale = page.evaluate(
            "document.querySelector('.tree').getBoundingClientRect().width"
            " / document.querySelector('.tree').viewBox.baseVal.width"
        )
        assert scale * 13 >= 10  # pixels
        check_room(page)


def test_zoom(show):
    page = show(seven_classes())
    high = "document.querySelector('.tree').getBoundingClientRect().height"
    before = page.evaluate(high)
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate(high) == pytest.approx(1.25 * before, rel=0.01)
    page.get_by_role("button", name="Fit").click()
    assert page.evaluate(high) <= 900
    page.get_by_role("button", name="Smaller").click()
    assert page.evaluate(high) < 900
    check_room(page)


FOCUSED = """() => {
  const here = document.activeElement, style = getComputedStyle(here);
  const box = here.querySelector(".box");
  const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  if (here === document.body) return { name: "BODY" };
  return {
    name: here.id || here.dataset.node || here.textContent,
    seen: box ? parseFloat(getComputedStyle(box).strokeWidth) >= 4 : isSeen,
  };
}"""


@pytest.mark.parametrize("model", [cancer, mixed])
def test_the_keyboard_reaches_everything(show, model):
    page = show(model(), reduced_motion="reduce")
    names = []
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found["name"] == "BODY" or found["name"] in names[:1]:
            break
        assert found["seen"], found
        names.append(found["name"])
    expected = {
        "theme",
        "zoom-out",
        "zoom-fit",
        "zoom-in",
        "0",
        "Copy the rule",
        "Clear",
    }
    expected |= {
        field.get_attribute("id") for field in page.locator("input, select").all()
    }
    assert expected <= set(names)


def test_a_new_width_keeps_the_focus(show):
    page = show(cancer())
    page.locator('[data-node="2"]').focus()
    page.set_viewport_size({"width": 600, "height": 900})
    page.wait_for_function("document.activeElement.dataset.node === '2'")
    check_room(page)


def test_arrow_key_moves_the_slider(show):
    page = show(cancer())
    page.locator("#slider").focus()
    before = int(page.locator("#slider").input_value())
    page.keyboard.press("ArrowLeft")
    assert page.locator("#slider").input_value() == str(before - 1)
    assert page.evaluate("document.activeElement.id") == "slider"


def test_reduced_motion_is_respected(show):
    page = show(cancer(), reduced_motion="reduce")
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")]
          .map((element) => getComputedStyle(element))
          .filter((style) => style.transitionDuration !== "0s"
            || style.animationName !== "none").length"""
    )
    assert moving == 0
    page = show(cancer(), reduced_motion="no-preference")
    duration = "getComputedStyle(document.querySelector('.box')).transitionDuration"
    assert page.evaluate(duration) != "0s"


@EVERY_MODEL
def test_printed_page_has_tree_rules_and_proof_but_no_controls(show, name):
    page = show(MODELS[name](), color_scheme="dark")
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    for selector in (".tree", ".rules", "header .proof"):
        assert page.locator(selector).is_visible()
    for selector in ("#theme", ".zoom", "#row", "#details", ".slider-row"):
        for element in page.locator(selector).all():
            assert not element.is_visible()
    box = page.locator(".tree").bounding_box()
    assert box["width"] <= 1032  # pixels: A4 across, with margins of 12 mm
    assert box["height"] <= 703
    low = [each for each in page.evaluate(CONTRAST) if each["ratio"] < each["needs"]]
    assert not low
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    check_room(page)
