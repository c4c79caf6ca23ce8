"""Browser fixtures; pages report the errors that occur in them."""

import pytest
from model.report_pages import find_chromium, lone_leaf


@pytest.fixture(scope="session")
def browser():
    reason = "playwright is not installed: `make browser` does it"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    path = find_chromium()
    if path is None:
        pytest.skip(
            "no Chromium here: install one, or set MURTREE_CHROMIUM to its path"
        )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens a model's page and fails on any error in it."""
    contexts, wrong = [], []
    folder = tmp_path.as_uri()

    def listen(page):
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: request.url.startswith(folder) or wrong.append(request.url),
        )

    def open_page(model, *, title=None, width=1280, height=900, **options):
        path = tmp_path / f"{len(contexts)}.html"
        model.report(path, title=title)
        viewport = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=viewport, **options))
        page = contexts[-1].new_page()
        listen(page)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture(scope="module")
def functions(browser, tmp_path_factory):
    """Return a page whose JavaScript functions are called directly."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    lone_leaf().report(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    yield page
    page.close()
