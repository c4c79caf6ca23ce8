"""Take the picture of the explorer page for the guide, in headless Chromium.

    make browser   # installs Playwright
    .venv/bin/python docs/take_pictures.py

The page is the one that the guide's example makes.
"""

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from murtree import OptimalTreeClassifier

PICTURE = Path(__file__).parent / "_static" / "explorer.png"
SIZE = {"width": 1200, "height": 1300}
NAMES = ("chromium", "chromium-browser", "google-chrome")


def make_page(path: Path) -> None:
    """Write the page of the guide."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    X, X_new, y, y_new = train_test_split(data.data, y, random_state=0)
    clf = OptimalTreeClassifier(max_depth=3, frontier=True, binarizer="mdlp")
    clf.fit(X, y).report(path, X=X_new, y=y_new, target="diagnosis")


def take_picture(path: Path) -> None:
    """Write what a browser shows of a page."""
    browser = os.environ.get("MURTREE_CHROMIUM")
    browser = browser or next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox"]
        )
        page = chromium.new_page(viewport=SIZE)
        page.goto(path.as_uri())
        page.screenshot(path=PICTURE)
        chromium.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "diagnosis.html"
        make_page(page)
        take_picture(page)
