"""Code that an app copies from its own functions into workers and modules counts, and shared workers do."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import Exploration, explore
from explorer.provision import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def copies(apps: Path, program: Browser, tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """One run over tests/apps/copies, whose workers are all ended as soon as they have answered."""
    return explore(apps / "copies", budget=2, out=tmp_path_factory.mktemp("runs") / "copies")


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("app.js", "'blob ' + data.length", "blob 3"),
        ("app.js", "'strict' : 'sloppy'", "strict"),
        ("app.js", "'data ' + (1 + 1)", "data 2"),
        ("app.js", "parts.join('')", "body"),
        ("app.js", "number + 40", "module 42"),
        ("app.js", "'written ' + (40 + 2)", "written 42"),
        ("shared.js", "2 * number", "shared 42"),
    ],
)
def test_copies_of_the_apps_functions_count(
    copies: Exploration, apps: Path, file: str, text: str, says: str
) -> None:
    line = next(
        n for n, row in enumerate((apps / "copies" / file).read_text().splitlines(), 1) if text in row
    )
    statements = [
        probe.id
        for probe in copies.probes.probes
        if probe.file == file and probe.kind == "statement" and probe.position.line == line
    ]
    assert statements and copies.hits.issuperset(statements)
    html = "".join(step.snapshot.html for step in copies.trace.steps if step.snapshot)
    assert f"<li>{says}</li>" in html, "and it does what it did"


def test_what_is_no_code_stays_as_it_was(copies: Exploration) -> None:
    first = copies.trace.steps[0].snapshot
    assert first is not None and "<li>text as it was</li>" in first.html
    assert "as it was" in [step.title for step in copies.trace.steps]
    assert not copies.findings
