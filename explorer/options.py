"""What a run may be told besides its target, budget and seed; checked at the door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer.axe import check_axe
from graph.records import ABSTRACTIONS, DEFAULT_ABSTRACTION
from instrument.errors import UsageError
from instrument.freshness import BUILD_MODES, BuildMode

TESTERS = ("guided", "random", "monkey", "breadth-first")
"""Names of the built-in testers, which `explorer.policy.registry` makes: known without loading them."""
MODEL_TESTER = "model"
"""Name of the tester that asks a model (explorer.policy.model)."""

NetworkMode = Literal["auto", "app", "cdn", "open"]
NETWORK_MODES: tuple[NetworkMode, ...] = ("auto", "app", "cdn", "open")

CoverageMode = Literal["auto", "istanbul", "v8"]
COVERAGE_MODES: tuple[CoverageMode, ...] = ("auto", "istanbul", "v8")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run; each is a command-line option of the same name."""

    entry: str = ""
    """Html file to open, relative to the target; "" lets the target decide."""
    app: str = ""
    """Which app of a workspace, by name or path; "" lets the likeliest be taken."""
    build: BuildMode = "auto"
    """Whether sources are built anew: auto takes a build that lies beside them where it is newer than they are."""
    build_timeout: float = 600.0
    """Seconds that installing and building may take, each."""
    sandbox: bool = False
    """Keep build scripts in: no network, nothing to write in but the work copy."""
    start: str = ""
    """Command that starts the app's server, in the target's folder; it ends with the run."""
    url: str = ""
    """Where the app answers; the target is then the folder of its sources, or nothing."""
    tester: str = "guided"
    abstraction: str = DEFAULT_ABSTRACTION
    time_limit: float | None = None
    """Wall seconds of exploring; None for no limit."""
    network: NetworkMode = "auto"
    """What the app may reach besides itself. cdn: libraries of CDNs, served from npm's packages; app: nothing; open: all;
    auto: cdn for plain html that was not built and asks other hosts for something, app for the rest."""
    allow_host: tuple[str, ...] = ()
    clock: Literal["virtual", "real"] = "virtual"
    browser: str | None = None
    """Path of a Chromium; None looks for one."""
    headed: bool = False
    port: int = 0
    """Port of the app's server; 0 for the app's usual one."""
    coverage: CoverageMode = "auto"
    """istanbul: counters in the scripts; v8: the browser's own ranges, the scripts served as they are; auto: counters, and
    ranges for what cannot carry them, or for all where `verify` finds that counters change the app."""
    axe: bool = False
    """Audit the first states with axe-core besides (the extra `axe` installs it)."""
    verify: bool = False
    """Compare the app with and without instrumentation before exploring."""
    verify_coverage: bool = False
    """Do the same actions again with V8's ranges in place of counters, and compare what both say."""
    replay_findings: bool = False
    """Walk to the first findings again in a fresh page, and say of each whether it came again."""
    model: str = ""
    """Model for all roles: "" for the usual one where a key is found, "none" for the built-ins."""
    tester_model: str = ""
    """Another one for `tester` "model"."""
    hint_model: str = ""
    """Another one for hints on a plateau and for texts that must make sense; "none" for the built-in."""
    base_url: str = ""
    """Another server of the Messages API; "" for EXPLORER_BASE_URL, or the anthropic SDK's own."""
    max_calls: int | None = None
    """Model calls in a run; then the built-ins go on."""
    max_cost: float | None = None
    """US dollars in a run; then the built-ins go on."""
    prices: str = ""
    """A table of prices (TOML) in place of the shipped one."""
    record: str = ""
    """Folder where all requests to models and their replies are kept."""
    replay: str = ""
    """Folder of a recording that the replies are read from."""
    replay_missing: Literal["error", "ask"] = "error"
    """What to do with a request that was not recorded."""
    tester_screenshots: bool = False
    """The model tester sees a screenshot before each action."""


def check(options: Options, *, budget: int) -> None:
    """Raises UsageError, one sentence, for what would not work."""
    if budget < 1:
        raise UsageError(f"A budget of {budget} explores nothing: give at least 1 action.")
    if options.axe:
        check_axe()
    if options.build not in BUILD_MODES:
        raise UsageError(f"There is no build mode {options.build}: choose one of {', '.join(BUILD_MODES)}.")
    if options.build_timeout <= 0:
        raise UsageError(
            f"A build timeout of {options.build_timeout:g} seconds builds nothing: give more than 0."
        )
    if options.network not in NETWORK_MODES:
        raise UsageError(
            f"There is no network mode {options.network}: choose one of {', '.join(NETWORK_MODES)}."
        )
    if options.coverage not in COVERAGE_MODES:
        raise UsageError(
            f"There is no coverage mode {options.coverage}: choose one of {', '.join(COVERAGE_MODES)}."
        )
    if options.verify_coverage and options.coverage == "v8":
        raise UsageError("--verify-coverage compares counters with V8's ranges: leave out --coverage v8.")
    if options.tester not in (*TESTERS, MODEL_TESTER):
        names = ", ".join((*TESTERS, MODEL_TESTER))
        raise UsageError(f"There is no tester {options.tester}: choose one of {names}.")
    _check_models(options)
    if options.abstraction not in ABSTRACTIONS:
        raise UsageError(
            f"There is no abstraction {options.abstraction}: choose one of {', '.join(ABSTRACTIONS)}."
        )
    if options.time_limit is not None and options.time_limit <= 0:
        raise UsageError(
            f"A time limit of {options.time_limit:g} seconds explores nothing: give more than 0."
        )


def _check_models(options: Options) -> None:
    if options.max_calls is not None and options.max_calls < 1:
        raise UsageError(f"--max-calls {options.max_calls} asks no model at all: use --model none for that.")
    if options.max_cost is not None and options.max_cost <= 0:
        raise UsageError(f"--max-cost {options.max_cost:g} asks no model at all: use --model none for that.")
    if options.record and options.replay and options.replay_missing != "ask":
        raise UsageError(
            "--record and --replay together want --replay-missing ask: else nothing is there to record."
        )
    if options.replay_missing == "ask" and not options.replay:
        raise UsageError(
            "--replay-missing says what to do where --replay has no reply: give --replay DIR too."
        )
    if options.tester_screenshots and options.tester != MODEL_TESTER:
        raise UsageError(
            f"--tester-screenshots is for --tester {MODEL_TESTER}; {options.tester} looks at none."
        )
