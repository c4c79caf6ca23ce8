"""Render a summary as one HTML page that needs no network and no other file.

The summary is never markup: the template escapes it, and the scripts, which read it as
JSON, insert it as text. The page has a content security policy: browsers run only the
scripts and styles of this package, by their hashes, and fetch nothing.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from murtree._model.tuning import score_text
from murtree._table.predicate_text import number_text
from murtree._tree.rules import joined
from murtree._version import __version__

STYLES = ("style.css", "print.css")
SCRIPTS = (  # each uses those before it
    "basics.js",
    "path.js",
    "layout.js",
    "draw.js",
    "chart.js",
    "tuning.js",
    "panels.js",
    "classes.js",
    "row.js",
    "explorer.js",
)
_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def render(summary: dict[str, Any]) -> str:
    """Return the page of a summary.

    Parameters
    ----------
    summary : dict
        The result of `summary_of`.

    Returns
    -------
    html : str
        The page.
    """
    try:
        import jinja2  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "report needs jinja2: install it (the extra 'report')"
        ) from error
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": number_text, "score": score_text}
    script, style = _joined(SCRIPTS), _joined(STYLES)
    return environment.from_string(_text("page.html")).render(
        summary=summary,
        version=__version__,
        policy=_policy(script, style),
        # These three contain no text of the user that is not escaped.
        script=Markup(script),
        style=Markup(style),
        data=Markup(script_json(summary)),
        rules=list(_rules(summary)),
    )


def script_json(data: Any) -> str:
    """Return data as JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_IN_SCRIPT)


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _joined(names: Iterable[str]) -> str:
    return "\n".join(map(_text, names))


@cache
def _text(name: str) -> str:
    path = files("murtree._model.report") / "templates" / name
    return path.read_text(encoding="utf-8")


def _rules(summary: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the rules of the chosen tree, for browsers without scripts."""
    tree = summary["sizes"][summary["chosen"]]["tree"]
    for node, left in enumerate(tree["left"]):
        if left >= 0:
            continue
        rule = {
            "text": joined([summary["parts"][part] for part in tree["rule"][node]]),
            "weight": tree["weight"][node],
        }
        if summary["classes"] is None:
            yield rule | {"prediction": number_text(tree["value"][node])}
        else:
            label, counts = tree["label"][node], tree["counts"][node]
            name = summary["classes"][label]["name"]
            wrong = sum(counts) - counts[label]
            yield rule | {"prediction": name, "wrong": wrong}
