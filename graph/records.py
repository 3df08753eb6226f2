"""The records that pass between the stages: what was seen, what was done, what came of it.

All are frozen and hold plain values only: no browser handle, screenshots by file name relative to the run
folder. They are written to trace.jsonl and read back by `graph.tracefile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NewType

StateId = NewType("StateId", str)
"""Digest of a normalised snapshot; equal ids are one state."""

ABSTRACTIONS = ("exact", "text", "structure", "list")
"""How finely states are told apart, from fine to coarse; `graph.normalize` says what each looks at."""
DEFAULT_ABSTRACTION = "list"

ActionKind = Literal[
    "click",
    "double-click",
    "right-click",
    "hover",
    "fill",
    "fill-form",
    "select",
    "check",
    "press",
    "type",
    "drag",
    "swipe",
    "slide",
    "upload",
    "scroll",
    "wheel",
    "back",
    "forward",
    "reload",
    "resize",
    "advance-time",
    "submit",
    "network",
    "storage",
]
"""What one action can be; each costs one of the budget."""

FindingKind = Literal[
    "exception",
    "rejection",
    "console-error",
    "request-failed",
    "http-error",
    "broken-image",
    "dead-control",
    "hang",
    "crash",
    "blank-page",
    "error-overlay",
    "dialog-loop",
    "window-closed",
    "behaviour-changed",
]


@dataclass(frozen=True, slots=True)
class Handler:
    """One event listener that an element has, or inherits from an ancestor that delegates."""

    event: str
    """DOM event type in lower case: "click", "dblclick", "keydown"."""
    function: int | None = None
    """Function probe of the app's handler; None where the handler has no counter."""
    own: bool = True
    """False for a listener of an ancestor that the event bubbles to."""


@dataclass(frozen=True, slots=True)
class Field:
    """What an input field says of itself; "" and None where it says nothing."""

    type: str
    """input type in lower case, "textarea", "select" or "contenteditable"."""
    name: str = ""
    id: str = ""
    label: str = ""
    placeholder: str = ""
    autocomplete: str = ""
    pattern: str = ""
    min: str = ""
    max: str = ""
    step: str = ""
    minlength: int | None = None
    maxlength: int | None = None
    required: bool = False
    readonly: bool = False
    multiple: bool = False
    accept: str = ""
    value: str = ""
    checked: bool = False
    valid: bool = True
    """What checkValidity() would say, read without firing an event."""
    options: tuple[str, ...] = ()
    """Visible texts of a select's options, or of a datalist."""
    form: str = ""
    """Same for all fields and buttons of one form, "" outside a form."""


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that can be acted on, as the observer saw it in one snapshot."""

    ref: str
    """Name within this snapshot only: "e12"."""
    tag: str
    role: str
    """ARIA role, explicit or implied; "" where there is none."""
    name: str
    """Accessible name, at most 80 characters."""
    family: str
    """Signature free of content and position: equal for the like buttons of every list item."""
    ordinal: int
    """Which of its family it is in this snapshot, from 0."""
    locator: str
    """Path that finds it again in the same state; ` >>> ` crosses into shadow roots and iframes."""
    box: tuple[int, int, int, int]
    """x, y, width, height in CSS pixels of the viewport."""
    handlers: tuple[Handler, ...] = ()
    field: Field | None = None
    href: str = ""
    form: str = ""
    disabled: bool = False
    covered: bool = False
    """Another element lies over its middle."""
    offscreen: bool = False
    """Must be scrolled to."""
    container: bool = False
    """Holds other targets; acting on those is usually meant."""
    draggable: bool = False
    droppable: bool = False
    pointer: bool = False
    """Shows a hand as cursor."""
    grabbable: bool = False
    """Shows by its cursor that it can be moved or resized."""
    hover_reveals: bool = False
    """A stylesheet rule shows something when it is hovered."""
    scrollable: bool = False
    """Holds more than it shows."""
    expanded: bool | None = None
    checked: bool | None = None
    selected: bool | None = None


@dataclass(frozen=True, slots=True)
class PageHandler:
    """A listener of window, document or body: keys, resize, hashchange and so on."""

    event: str
    function: int | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer that waits in the page."""

    due_ms: int
    """Milliseconds of the page's time until it fires."""
    function: int | None = None
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The page at rest after an action: the only thing that testers and judges see of it."""

    url: str
    """Path, query and fragment; the app's origin is left out so that runs compare."""
    title: str
    html: str
    """Live DOM as html: shadow roots and iframes unfolded, hidden parts and live values marked by
    `data-x-*` attributes (see js/src/agent)."""
    digest: str
    """Digest of html, as the page computed it."""
    targets: tuple[Target, ...] = ()
    page_handlers: tuple[PageHandler, ...] = ()
    timers: tuple[Timer, ...] = ()
    viewport: tuple[int, int] = (1280, 720)
    scroll: tuple[int, int] = (0, 0)
    document: tuple[int, int] = (1280, 720)
    canvas: str = ""
    """Digest of what the canvases show, coarsely; "" without a canvas."""
    focus: str = ""
    """ref of the focused target, "" for none."""


@dataclass(frozen=True, slots=True)
class Action:
    """One gesture of a user, with all that is needed to do it again."""

    kind: ActionKind
    reason: str
    """Why the tester chose it, in words."""
    ref: str = ""
    """Target in the snapshot it was chosen from; "" for the whole page."""
    locator: str = ""
    role: str = ""
    name: str = ""
    family: str = ""
    ordinal: int = 0
    value: str = ""
    """click, double-click, right-click: "" for the middle, or "x,y" from the target's corner (of the viewport where
    there is no target); fill, type: the text; select: the option's text; press: key or chord ("Control+a");
    upload: name of a bundled sample file; scroll, wheel, swipe: "dx,dy"; drag: "dx,dy" from the middle, "x,y,dx,dy" from
    a point of the target, or "to " + the locator of the element to drop on; resize: "width,height";
    advance-time: ms; slide: a key; network: "offline" or "online"; storage: "event"."""
    variant: str = ""
    """Part of the value that makes it another kind of experience (a key, an option); see explorer.actions.Key."""
    fields: tuple[tuple[str, str], ...] = ()
    """fill-form: (locator, text) for each field in order."""


@dataclass(frozen=True, slots=True)
class Message:
    """One console message of the app."""

    level: str
    """log, debug, info, warning, error."""
    text: str
    url: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """An uncaught exception or rejection."""

    text: str
    stack: str = ""
    rejection: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request that failed, was answered with an error, or was not allowed out."""

    method: str
    url: str
    status: int | None
    """HTTP status; None where there was no answer."""
    reason: str = ""
    """Chromium's error text, or why it was blocked."""
    blocked: bool = False
    """The engine kept it in: the app tried to reach another host."""
    resource: str = ""
    """document, script, image, fetch, ... as Chromium names it."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that the app opened and how it was answered."""

    type: str
    """alert, confirm, prompt, beforeunload, or print."""
    text: str
    accepted: bool
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing in a state that breaks a rule which can be measured."""

    rule: str
    """low-contrast, small-target, clipped-text, ...: see js/src/agent/looks.js and explorer.axe."""
    element: str
    """Role and name, "page" for the document as a whole."""
    locator: str
    detail: str
    """What was measured and what is wanted, in words."""
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Place in the viewport: left, top, width, height in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Looks:
    """How a state looks, as far as it can be measured in the page."""

    flaws: tuple[Flaw, ...] = ()
    """A few of each rule."""
    counts: tuple[tuple[str, int], ...] = ()
    """rule -> how often it is broken."""
    texts: int = 0
    """Elements with text of their own that are shown; controls and images likewise."""
    controls: int = 0
    images: int = 0
    fonts: int = 0
    """Different font families, text sizes (whole pixels) and text colours in use."""
    sizes: int = 0
    colours: int = 0
    shift: float = 0.0
    """Cumulative layout shift that no gesture explains (Layout Instability API)."""
    checks: tuple[str, ...] = ("rules",)
    """What measured it: the built-in rules, "axe VERSION"."""


Liveness = Literal["alive", "hung", "crashed", "closed", "browser-lost"]


@dataclass(frozen=True, slots=True)
class Effects:
    """What an action changed besides the DOM's html; counts since the action began."""

    requests: int = 0
    storage: int = 0
    """Writes to cookies, localStorage, sessionStorage, IndexedDB."""
    mutations: int = 0
    navigations: int = 0
    dialogs: int = 0
    downloads: int = 0
    popups: int = 0
    media: int = 0
    """Sounds or videos started, clipboard writes, print, fullscreen: effects that leave no trace in the DOM."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All that came back from the page after an action."""

    snapshot: Snapshot
    hits: frozenset[int]
    """Probes hit for the first time since the last observation."""
    liveness: Liveness = "alive"
    performed: bool = True
    """False: the gesture could not be made (its target was gone); `failure` says why."""
    failure: str = ""
    messages: tuple[Message, ...] = ()
    faults: tuple[Fault, ...] = ()
    requests: tuple[Request, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    downloads: tuple[str, ...] = ()
    """File names, kept under downloads/ in the run folder."""
    popups: tuple[str, ...] = ()
    """URLs of new tabs; same-origin ones were looked at and their hits are in `hits`."""
    broken_images: tuple[str, ...] = ()
    overlay: str = ""
    """Text of a framework's error overlay."""
    effects: Effects = Effects()
    settle: str = ""
    """Why settling ended: quiet, or which bound."""
    ms: tuple[tuple[str, float], ...] = ()
    """Wall milliseconds: act, settle, observe (browser side) and so on."""
    ran: bool = True
    """Whether any counted code ran, also such as had run before; True where that is not known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of the app, deduplicated by `identity`."""

    kind: FindingKind
    identity: str
    """Stable over steps, runs and ports."""
    title: str
    detail: str = ""
    step: int = 0
    """First step at which it was seen; 0 is the load."""
    state: str = ""
    path: tuple[int, ...] = ()
    """Steps that lead to it: the shortest way that was walked, from a load to a step that showed it, without actions that
    changed nothing (explorer.paths)."""
    source: str = ""
    """file:line:column in the user's sources, "" where unknown."""
    count: int = 1
    verified: bool | None = None
    """Whether it came again when `path` was walked anew in a fresh page (explorer.replaying); None where not tried."""


@dataclass(frozen=True, slots=True)
class ControlClick:
    """What a click on something that looks live showed: evidence for or against a dead control."""

    control: str
    """Controls that look the same are one."""
    name: str
    """Role and name, as a finding words it."""
    locator: str
    handled: bool
    """Whether a handler is bound to it."""
    silent: bool
    """Whether nothing at all changed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the oracles have to say of one step."""

    findings: tuple[Finding, ...] = ()
    """Seen for the first time."""
    again: tuple[tuple[str, int], ...] = ()
    """Findings of earlier steps that were seen again: identity and how often."""
    click: ControlClick | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One action and what it led to; step 0 is the load and has no action."""

    index: int
    action: Action | None
    before: str
    """StateId before, "" for step 0."""
    after: str
    url: str
    title: str
    gain: int
    """Own statements that ran for the first time."""
    hits: tuple[int, ...]
    """Probes of any kind that ran for the first time, sorted."""
    new_state: bool = False
    replayed: bool = False
    """Done to get back to a known state, not chosen by the tester; it costs no budget."""
    snapshot: Snapshot | None = None
    """Kept for new states only."""
    screenshot: str = ""
    """File name relative to the run folder, new states only."""
    looks: Looks | None = None
    """How a new state looks; None for others, and where a run has more states than are measured."""
    changes: tuple[str, ...] = ()
    """What the page shows since this action ("+ ...") and no longer ("- ..."), see graph.pagetext.difference; () for a
    load, and where the page stayed as it was."""
    findings: tuple[Finding, ...] = ()
    again: tuple[tuple[str, int], ...] = ()
    """Findings of earlier steps that this one showed again: identity and how often."""
    click: ControlClick | None = None
    """What it told about whether a control is dead."""
    liveness: Liveness = "alive"
    performed: bool = True
    inert: bool = False
    """It provably did nothing (explorer.inert), unless it is `focused`: a way on which it lies is the same without it."""
    focused: bool = False
    """The focus is on what it was made on."""
    failure: str = ""
    messages: tuple[Message, ...] = ()
    faults: tuple[Fault, ...] = ()
    requests: tuple[Request, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    downloads: tuple[str, ...] = ()
    popups: tuple[str, ...] = ()
    effects: Effects = Effects()
    settle: str = ""
    hint: str = ""
    """The hint that the tester was following."""
    notes: tuple[str, ...] = ()
    """Which role a built-in played in a model's place at this step, and why."""
    ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TraceHead:
    """First line of trace.jsonl: what the run was."""

    version: int
    target: str
    seed: int
    budget: int
    tester: str
    hint: str
    abstraction: str
    own_statements: int


@dataclass(frozen=True, slots=True)
class Trace:
    """A run in order; `steps[0]` is the load."""

    head: TraceHead
    steps: tuple[Step, ...] = ()
    stop: str = ""
    """budget, complete, time, interrupt, unusable; "" for a run that was cut off."""
    stop_reason: str = ""
