"""A finished run from what was known before and the trace."""

from explorer.assemble import blocked, gather, step_timings
from graph.records import Action, Finding, Request, Step


def step(index: int, *, action: bool = True, replayed: bool = False, **changes: object) -> Step:
    plain = {
        "index": index, "action": Action("click", "") if action else None, "before": "a", "after": "a", "url": "/",
        "title": "", "gain": 0, "hits": (), "replayed": replayed,
    }  # fmt: skip
    return Step(**{**plain, **changes})  # type: ignore[arg-type]


def test_findings_of_a_cut_off_run_are_gathered_once_each() -> None:
    one, other = Finding("exception", "a", "A", step=1), Finding("exception", "b", "B", step=2)
    found = gather([step(1, findings=(one,)), step(2, findings=(one, other))])
    assert [(f.identity, f.count, f.step) for f in found] == [("a", 2, 1), ("b", 1, 2)]


def test_blocked_requests_are_listed_once_each() -> None:
    kept, failed = Request("GET", "https://x.org/a", None, blocked=True), Request("GET", "/b", 404)
    assert blocked([step(1, requests=(kept, failed)), step(2, requests=(kept,))]) == (kept,)


def test_timings_are_medians_over_actions_that_count() -> None:
    def timed(index: int, act: float, engine: float, **changes: bool) -> Step:
        return step(
            index,
            ms=(("act", act), ("settle", 10.0), ("observe", 1.0), ("trip", 9.0), ("engine", engine)),
            **changes,
        )

    steps = [
        timed(0, 900, 90, action=False),
        timed(1, 1, 2),
        timed(2, 3, 4),
        timed(3, 5, 6),
        timed(4, 700, 70, replayed=True),
    ]
    assert step_timings(steps) == {"median_step": 18.0, "engine_share": 4.0}
    assert step_timings(steps[:1]) == {}
