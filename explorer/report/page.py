"""Last stage: an Exploration becomes report.html, one file that needs no network and no server.

Everything that the app said is escaped, or stands as JSON in a data block; a content security policy that names
this page's own style and script by their hashes keeps anything else from running.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from importlib import resources

from explorer.exploration import Exploration
from explorer.looks import measured_states
from explorer.report.content import Content
from explorer.report.faults import findings_section
from explorer.report.files import files_section, source_data
from explorer.report.film import film_strip
from explorer.report.gaps import unreached_section
from explorer.report.looks import looks_section
from explorer.report.markup import Html, tag
from explorer.report.overview import overview
from explorer.report.particulars import run_section
from explorer.report.plot import coverage_plot
from explorer.report.scores import scores_section
from explorer.report.states import graph_data, graph_section
from instrument.errors import UsageError

SECTIONS = (
    ("overview", "Overview"),
    ("coverage", "Coverage"),
    ("graph", "Graph"),
    ("steps", "Steps"),
    ("findings", "Findings"),
    ("looks", "Looks"),
    ("scores", "Scores"),
    ("files", "Files"),
    ("unreached", "Unreached"),
    ("run", "Run"),
)

_ABSENT: Mapping[str, Callable[[Exploration], bool]] = {
    "looks": lambda run: measured_states(run.trace.steps) > 0,
    "scores": lambda run: run.scores is not None,
}
"""Sections that not every run has -> whether this one has it."""

# cytoscape adds this rule in a style element of its own, which the policy forbids, unless the id is taken.
_CYTOSCAPE_STYLE = "__________cytoscape_stylesheet"
_CYTOSCAPE_RULE = ".__________cytoscape_container{position:relative}"


def render_report(exploration: Exploration | Content) -> Html:
    """The whole page, of an Exploration or of the Content that was already made of one.

    Screenshots are read from the run folder. Raises UsageError when the report's script is not built.
    """
    content = exploration if isinstance(exploration, Content) else Content(exploration)
    styles = (_CYTOSCAPE_RULE, _text("explorer.report", "report.css"), _picture_rules(content))
    script = _script()
    body = [
        tag("a", "Skip to content", href="#overview", class_="skip"),
        _navigation(content),
        tag("main", [section(content) for section in _PARTS]),
        tag("footer", "Made by explore-app. Everything is in this file."),
        _data(content),
        tag("script", Html(script)),
    ]
    page = tag("html", _head(content.run, styles, script), tag("body", body), lang="en")
    return Html(f"<!doctype html>\n{page}")


_PARTS = (
    overview,
    coverage_plot,
    graph_section,
    film_strip,
    findings_section,
    looks_section,
    scores_section,
    files_section,
    unreached_section,
    run_section,
)


def _head(exploration: Exploration, styles: tuple[str, ...], script: str) -> Html:
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src {' '.join(_hash(style) for style in styles)}; script-src {_hash(script)}"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{exploration.target} – explore-app"),
        tag("style", Html(styles[0]), id=_CYTOSCAPE_STYLE),
        [tag("style", Html(style)) for style in styles[1:]],
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _navigation(content: Content) -> Html:
    counts = {"findings": len(content.run.findings), "unreached": len(content.unreached)}
    links = [
        tag(
            "a",
            label,
            tag("span", f"{counts[name]:,}", class_="count") if counts.get(name) else None,
            href=f"#{name}",
        )
        for name, label in SECTIONS
        if name not in _ABSENT or _ABSENT[name](content.run)
    ]
    return tag("nav", links, aria_label="Sections")


def _picture_rules(content: Content) -> str:
    """Each screenshot once, as a class that frames, cards and the graph share."""
    return "".join(
        f'.shot-{number}{{background-image:url("{uri}")}}' for number, uri in content.pictures.items()
    )


def _data(content: Content) -> Html:
    """The script's data. `<` and `&` are written as escapes, so that no text can end the block."""
    data = {"graph": graph_data(content), "files": source_data(content)}
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Html(text), type="application/json", id="data")


def _script() -> str:
    try:
        text = _text("instrument", "_js", "report.js")
    except FileNotFoundError as error:
        raise UsageError("The report's script is not built: run `node js/build.mjs report.js`.") from error
    # The bundle is our own, but a string in it must not end the element either.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _text(package: str, *parts: str) -> str:
    return resources.files(package).joinpath(*parts).read_text(encoding="utf-8")
