"""Whether sources write scripts into pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.inlinescripts import writes_inline
from tests.bundling import write_app


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("index.html", '<script type="module" src="/src/main.ts"></script>', False),
        ("index.html", '<script type="application/ld+json">{"a": 1}</script>', False),
        ("index.html", "<script>let a = 1</script>", True),
        ("public/old.html", '<button onclick="go()">', True),
        ("src/pages/index.astro", "<script is:inline>let a = 1</script>", True),
        ("src/pages/index.astro", "---\nconst a = 1;\n---\n<p>{a}</p>", False),
        ("app/layout.tsx", "<html><body onClick={go} /></html>", False),
        ("app/layout.tsx", "<script dangerouslySetInnerHTML={{ __html: code }} />", True),
        ("src/app.html", "<div>%sveltekit.body%</div>", False),
        ("node_modules/lib/index.html", "<script>let a = 1</script>", False),
        ("dist/index.html", "<script>let a = 1</script>", False),
    ],
)
def test_files_that_tell(tmp_path: Path, file: str, text: str, found: bool) -> None:
    assert writes_inline(write_app(tmp_path, {file: text})) is found
