"""axe-core's audit of a page; it runs in a world of its own, so the app sees nothing of it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from explorer.axe import axe_script
from explorer.browser_tab import Tab
from graph.records import Flaw

MOST_AUDITS = 5
"""States of a run that are audited: it takes most of a second each."""
_SECONDS = 20.0
_RUN = """axe.run(document, {resultTypes: ['violations'], rules: {region: {enabled: false}}}).then((found) => JSON.stringify({
  version: found.testEngine.version,
  violations: found.violations.map((each) => ({
    id: each.id, impact: each.impact || '', help: each.help, count: each.nodes.length,
    target: each.nodes.length ? each.nodes[0].target.flat().join(' >>> ') : '',
  })),
}))"""


async def audit(tab: Tab) -> tuple[str, tuple[Flaw, ...], tuple[tuple[str, int], ...]]:
    """(axe's version, a flaw for each rule that is violated, rule -> elements). Rules are named "axe:" and axe's id.

    Raises what Tab.send raises where the page is gone or changes documents.
    """
    made = {"frameId": tab.main_frame, "worldName": "explorer-audit"}
    world = (await tab.send("Page.createIsolatedWorld", made))["executionContextId"]
    await _evaluate(tab, _source(), world)
    found = json.loads(await _evaluate(tab, _RUN, world))
    flaws = tuple(
        Flaw(
            f"axe:{each['id']}",
            each["target"] or "page",
            each["target"],
            f"{each['help']} ({each['impact'] or 'no'} impact)",
        )
        for each in found["violations"]
    )
    return (
        found["version"],
        flaws,
        tuple(sorted((f"axe:{each['id']}", each["count"]) for each in found["violations"])),
    )


async def _evaluate(tab: Tab, expression: str, world: int) -> Any:
    command = {
        "expression": expression,
        "contextId": world,
        "awaitPromise": True,
        "returnByValue": True,
    }
    answer = await tab.send("Runtime.evaluate", command, seconds=_SECONDS)
    return answer["result"].get("value")


@lru_cache(maxsize=1)
def _source() -> str:
    path = axe_script()
    assert path is not None, "checked at the door"
    return f"{path.read_text(encoding='utf-8')}\n;0"
