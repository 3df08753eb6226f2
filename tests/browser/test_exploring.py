"""explore() from end to end on miniature apps, in a real browser."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import networkx
import pytest

from explorer import Exploration, Options, explore, explore_async, load_exploration
from explorer.api import resume
from explorer.progress import Quiet, Standing
from graph.records import Step
from instrument.errors import AppError, UsageError

pytestmark = pytest.mark.browser


def did(step: Step) -> tuple[object, ...]:
    """What must repeat from run to run."""
    action = step.action
    return (
        action and (action.kind, action.locator, action.value, action.reason),
        step.before,
        step.after,
        step.hits,
    )


def ran(run: Exploration, line: int, file: str = "index.html") -> bool:
    """Whether a statement on that line ran."""
    on_line = [
        p for p in run.probes.probes if p.file == file and p.kind == "statement" and p.position.line == line
    ]
    assert on_line, f"no statement on line {line} of {file}"
    return all(probe.id in run.hits for probe in on_line)


def line_of(app: Path, text: str, file: str = "index.html") -> int:
    """Line number of a text in the app's source."""
    return next(n for n, line in enumerate((app / file).read_text().splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def gated(apps: Path, tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """One run over the gated app, looked at by several tests."""
    return explore(apps / "gated", budget=60, out=tmp_path_factory.mktemp("runs") / "gated")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("index.html", "say('attribute')"),
        ("index.html", "say(kind)"),
        ("index.html", "say('inside')"),
        ("index.html", "say('no')"),
        ("index.html", "say('key')"),
        ("index.html", "say('an hour later')"),
        ("second.html", "= 'double'"),
    ],
)
def test_guarded_code_is_reached(gated: Exploration, apps: Path, file: str, text: str) -> None:
    assert ran(gated, line_of(apps / "gated", text, file), file)


def test_handler_attribute_is_linked_to_its_function_from_the_start(gated: Exploration) -> None:
    first = gated.trace.steps[0].snapshot
    assert first is not None
    button = next(target for target in first.targets if target.name == "Attribute")
    functions = [handler.function for handler in button.handlers if handler.event == "click"]
    assert functions and functions[0] is not None
    assert gated.probes.probes[functions[0]].function == "onclick"


def test_handler_attribute_that_a_script_wrote_is_linked_to_what_it_calls(gated: Exploration) -> None:
    first = gated.trace.steps[0].snapshot
    assert first is not None
    button = next(target for target in first.targets if target.name == "Made")
    functions = {handler.function for handler in button.handlers if handler.event == "click" and handler.own}
    assert [gated.probes.probes[f].function for f in functions if f is not None] == ["madeLater"]


def test_union_of_hits_never_shrinks_over_pages(gated: Exploration) -> None:
    union = set().union(*(step.hits for step in gated.trace.steps))
    assert union == gated.hits
    assert {"/", "/second.html"} <= {step.url for step in gated.trace.steps}


def test_run_folder_holds_what_it_promises(gated: Exploration) -> None:
    folder = Path(gated.folder)
    summary = json.loads((folder / "run.json").read_text())
    assert summary["instrumentation"]["mode"] == "istanbul" and summary["stop"]["kind"] in (
        "budget",
        "complete",
    )
    assert summary["coverage"]["statements"]["covered"] == len(
        {p for p in gated.probes.own & gated.hits if gated.probes.probes[p].kind == "statement"}
    )
    graph = networkx.read_graphml(folder / "graph.graphml")
    assert set(graph.nodes) == {step.after for step in gated.trace.steps}
    for step in gated.trace.steps:
        assert bool(step.screenshot) == step.new_state
        assert not step.screenshot or (folder / step.screenshot).read_bytes()[:2] == b"\xff\xd8"
    again = load_exploration(folder)
    assert again.trace == gated.trace and again.hits == gated.hits and again.findings == gated.findings


@pytest.mark.parametrize("app", ["gated", "demo"])
def test_same_seed_same_run(apps: Path, tmp_path: Path, app: str) -> None:
    runs = [explore(apps / app, budget=15, seed=7, out=tmp_path / str(n)) for n in range(2)]
    assert [did(step) for step in runs[0].trace.steps] == [did(step) for step in runs[1].trace.steps]


@pytest.mark.parametrize("app", ["suggest", "patience"])
def test_suggestions_are_chosen_and_counters_are_counted_up(apps: Path, tmp_path: Path, app: str) -> None:
    """Names that only their first letter finds, code behind the fifth click: all of it within 30 actions."""
    for seed in range(2):
        run = explore(apps / app, budget=30, seed=seed, out=tmp_path / str(seed))
        assert run.coverage.own.statements.pct == 100


def test_resumed_run_goes_on_where_it_was(apps: Path, tmp_path: Path) -> None:
    first = explore(apps / "gated", budget=6, out=tmp_path / "run")
    second = resume(tmp_path / "run", budget=12)
    assert second.trace.steps[: len(first.trace.steps)] == first.trace.steps
    assert second.actions == 12 and second.hits >= first.hits and second.seconds > first.seconds


class Standings(Quiet):
    """Keeps what progress was told."""

    def __init__(self) -> None:
        self.seen: list[Standing] = []

    def step(self, step: Step, standing: Standing) -> None:
        self.seen.append(standing)


def test_progress_of_a_resumed_run_counts_what_was_found_before(apps: Path, tmp_path: Path) -> None:
    first = explore(apps / "controls", budget=20, out=tmp_path / "run")
    assert first.findings

    told = Standings()
    second = resume(tmp_path / "run", budget=22, progress=told)
    assert told.seen[0].done == 20 and told.seen[0].findings == len(first.findings)
    assert told.seen[-1].findings == len(second.findings)


@pytest.mark.parametrize("budget", [None, 1, 3])
def test_resuming_without_an_action_left_is_refused(apps: Path, tmp_path: Path, budget: int | None) -> None:
    explore(apps / "gated", budget=3, out=tmp_path / "run")
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(UsageError, match=r"has done 3 actions already.* give more than 3"):
        resume(tmp_path / "run", budget=budget)
    assert (tmp_path / "run" / "run.json").read_bytes() == before


def test_a_run_that_was_killed_tells_all_that_it_had_found(apps: Path, tmp_path: Path) -> None:
    run = explore(apps / "controls", budget=30, out=tmp_path / "run")
    for written_at_the_end in ("findings.json", "run.json", "report.html"):
        (tmp_path / "run" / written_at_the_end).unlink()
    trace = tmp_path / "run" / "trace.jsonl"
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:-1]))  # the end line is missing

    left = load_exploration(tmp_path / "run")
    assert left.trace.stop == ""
    assert left.findings == run.findings
    assert {finding.kind for finding in left.findings} == {"dead-control"}
    steps = {step.index: step for step in run.trace.steps}
    assert all(steps[finding.path[0]].action is None for finding in left.findings), "a way begins with a load"


def test_resuming_an_app_that_changed_is_refused(apps: Path, tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    page = (apps / "gated" / "index.html").read_text()
    (app / "index.html").write_text(page)
    explore(app, budget=2, out=tmp_path / "run")
    (app / "index.html").write_text(page.replace("say('no');", "say('no'); say('never');"))
    with pytest.raises(UsageError, match="changed"):
        resume(tmp_path / "run", budget=4)


def test_app_folder_is_never_written_to(apps: Path, tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    for file in (apps / "gated").iterdir():
        (app / file.name).write_bytes(file.read_bytes())
        (app / file.name).chmod(0o444)
    app.chmod(0o555)
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in app.iterdir()}
    explore(app, budget=5, out=tmp_path / "run")
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in app.iterdir()} == before


def test_verify_says_that_nothing_changed(apps: Path, tmp_path: Path) -> None:
    run = explore(apps / "gated", budget=1, out=tmp_path / "run", options=Options(verify=True))
    assert any(note.startswith("Verified:") for note in run.instrumentation.notes)


def test_callable_inside_a_running_loop_and_as_a_coroutine(apps: Path, tmp_path: Path) -> None:
    async def both() -> tuple[Exploration, Exploration]:
        inside = explore(apps / "gated", budget=1, out=tmp_path / "inside")
        return inside, await explore_async(apps / "gated", budget=1, out=tmp_path / "awaited")

    inside, awaited = asyncio.run(both())
    assert inside.actions == awaited.actions == 1


def test_nothing_is_left_where_nothing_began(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for target, error in ((tmp_path / "empty", AppError), (tmp_path / "missing", UsageError)):
        with pytest.raises(error):
            explore(target, out=tmp_path / "run")
        assert not (tmp_path / "run").exists()
