"""Style sheets of Google Fonts, by the packages that have the same fonts."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from explorer.cdn_fonts import sheets


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("css2?family=Inter", [("@fontsource/inter", ["400.css"])]),
        ("css2?family=Inter:wght@400;700", [("@fontsource/inter", ["400.css", "700.css"])]),
        ("css2?family=Roboto:ital,wght@0,400;1,700", [("@fontsource/roboto", ["400.css", "700-italic.css"])]),
        ("css2?family=Inter:wght@300..500", [("@fontsource/inter", ["300.css", "400.css", "500.css"])]),
        ("css2?family=Lora:ital@1", [("@fontsource/lora", ["400-italic.css"])]),
        (
            "css2?family=Press+Start+2P&family=Lato&display=swap",
            [("@fontsource/press-start-2p", ["400.css"]), ("@fontsource/lato", ["400.css"])],
        ),
        (
            "css?family=Lato:300,400italic,700i|Open+Sans",
            [
                ("@fontsource/lato", ["300.css", "400-italic.css", "700-italic.css"]),
                ("@fontsource/open-sans", ["400.css"]),
            ],
        ),
        ("css?family=Lato:bold", [("@fontsource/lato", ["700.css"])]),
        ("icon?family=Material+Icons", [("material-icons", ["iconfont/filled.css"])]),
        (
            "css2?family=Material+Symbols+Outlined:opsz,wght@20..48,100..700",
            [("material-symbols", ["outlined.css"])],
        ),
        ("css2?display=swap", []),
    ],
)
def test_what_a_query_names(query: str, found: list[tuple[str, list[str]]]) -> None:
    options = parse_qsl(urlsplit(f"https://fonts.googleapis.com/{query}").query)
    assert [(sheet.package, list(sheet.paths)) for sheet in sheets(options)] == found
