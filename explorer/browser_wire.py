"""Decodes what the in-page agent sends (the last section of js/README.md) into records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.attributes import Attributes
from explorer.browser_network import Wall
from explorer.functiontexts import FunctionTexts
from graph.records import Field, Flaw, Handler, Looks, PageHandler, Snapshot, Target, Timer
from instrument.probes import ProbeMap

Wire = Mapping[str, Any]
"""One decoded JSON object of the agent."""


@dataclass
class Decoder:
    """Turns wire objects into records; remembers what does not change within a run."""

    probes: ProbeMap
    wall: Wall
    texts: FunctionTexts | None = None
    """Leads from functions to scripts that carry no counters."""
    _functions: dict[tuple[str, int | str], int | None] = field(default_factory=dict)
    _handlers: dict[tuple[str, str, int | str, bool], Handler] = field(default_factory=dict)
    _attributes: Attributes | None = None
    _html: str = ""
    _html_digest: str = ""

    @property
    def html(self) -> str:
        """The html that is known already."""
        return self._html

    @property
    def html_digest(self) -> str:
        """Digest of the html that is known already, "" before the first."""
        return self._html_digest

    def learn(self, probes: ProbeMap) -> None:
        """Takes another map, and forgets what the old one said."""
        self.probes = probes
        self._functions.clear()
        self._handlers.clear()
        self._attributes = None

    def snapshot(self, wire: Wire) -> Snapshot:
        """The page as the agent saw it; html that did not change is taken from the last snapshot."""
        if wire["html"] is not None:
            self._html = self.wall.relative(wire["html"])
            self._html_digest = wire["digest"]
        return Snapshot(
            url=self.wall.path(wire["url"]),
            title=wire["title"],
            html=self._html,
            digest=wire["digest"],
            targets=tuple(self._target(element) for element in wire["elements"]),
            page_handlers=tuple(self._page_handlers(wire.get("page_handlers") or ())),
            timers=tuple(
                Timer(round(due), self.function(place), bool(repeats))
                for due, place, repeats in wire.get("timers") or ()
            ),
            viewport=_pair(wire["viewport"]),
            scroll=_pair(wire["scroll"]),
            document=_pair(wire["document"]),
            canvas=wire.get("canvas") or "",
            focus=wire.get("focus") or "",
        )

    def hits(self, wire: Mapping[str, Iterable[int]]) -> set[int]:
        """Probes of the counters that the agent names."""
        found: set[int] = set()
        for script, slots in wire.items():
            found |= self.probes.resolve(script, slots)
        return found

    def function(self, place: tuple[str, int | str] | list[Any] | None) -> int | None:
        """Function probe of [script key, slot].

        Or of what a handler attribute's text calls: ["", text]; or of a function's own text: ["*", fingerprint].
        """
        if place and place[0] == "*":
            place = self.texts.find(str(place[1])) if self.texts else None
        if not place:
            return None
        script, slot = place
        if (script, slot) not in self._functions:
            self._functions[script, slot] = (
                self.probes.function_of(script, int(slot)) if script else self._called_by(str(slot))
            )
        return self._functions[script, slot]

    def _called_by(self, text: str) -> int | None:
        if self.texts and (place := self.texts.attribute(text)):
            return self.probes.function_of(*place)
        if self._attributes is None:
            self._attributes = Attributes(self.probes)
        return self._attributes.function(text)

    def _handler(self, entry: list[Any]) -> Handler:
        event, place, own = entry
        script, slot = place or ("", -1)
        key = (event, script, slot, bool(own))
        if key not in self._handlers:
            self._handlers[key] = Handler(event, self.function(place), bool(own))
        return self._handlers[key]

    def _page_handlers(self, entries: Iterable[list[Any]]) -> Iterable[PageHandler]:
        return dict.fromkeys(PageHandler(event, self.function(place)) for event, place in entries)

    def _target(self, wire: Wire) -> Target:
        described = wire.get("field")
        return Target(
            ref=wire["ref"],
            tag=wire["tag"],
            role=wire.get("role") or "",
            name=wire.get("name") or "",
            family=wire["family"],
            ordinal=wire["ordinal"],
            locator=wire["locator"],
            box=_box(wire["box"]),
            handlers=tuple([self._handler(entry) for entry in wire.get("handlers") or ()]),
            field=_field(described) if described else None,
            href=self.wall.relative(wire.get("href") or ""),
            form=wire.get("form") or "",
            disabled="disabled" in wire,
            covered="covered" in wire,
            offscreen="offscreen" in wire,
            container="container" in wire,
            draggable="draggable" in wire,
            droppable="droppable" in wire,
            pointer="pointer" in wire,
            grabbable="grabbable" in wire,
            hover_reveals="hover_reveals" in wire,
            scrollable="scrollable" in wire,
            expanded=wire.get("expanded"),
            checked=wire.get("checked"),
            selected=wire.get("selected"),
        )


def _pair(values: list[float]) -> tuple[int, int]:
    return round(values[0]), round(values[1])


def _box(values: list[float]) -> tuple[int, int, int, int]:
    return round(values[0]), round(values[1]), round(values[2]), round(values[3])


_TEXTS = (
    "name",
    "id",
    "label",
    "placeholder",
    "autocomplete",
    "pattern",
    "min",
    "max",
    "step",
    "accept",
    "form",
)


def _field(wire: Wire) -> Field:
    texts = {name: str(wire[name]) for name in _TEXTS if wire.get(name)}
    return Field(
        type=wire["type"],
        minlength=wire.get("minlength"),
        maxlength=wire.get("maxlength"),
        required=bool(wire.get("required")),
        readonly=bool(wire.get("readonly")),
        multiple=bool(wire.get("multiple")),
        value=str(wire.get("value") or ""),
        checked=bool(wire.get("checked")),
        valid=wire.get("valid", True) is not False,
        options=tuple(wire.get("options") or ()),
        **texts,
    )


def looks_of(wire: Wire) -> Looks:
    """What `__explorer$.looks()` says of a page."""
    flaws = tuple(
        Flaw(rule, element, locator, detail, _box(box))
        for rule, element, locator, detail, box in wire["flaws"]
    )
    numbers = {
        name: wire[name] for name in ("texts", "controls", "images", "fonts", "sizes", "colours", "shift")
    }
    return Looks(flaws, tuple(sorted(wire["counts"].items())), **numbers)


def audited(
    looks: Looks, version: str, flaws: tuple[Flaw, ...], counts: tuple[tuple[str, int], ...]
) -> Looks:
    """Looks with what axe-core found besides."""
    return replace(
        looks,
        flaws=(*looks.flaws, *flaws),
        counts=tuple(sorted((*looks.counts, *counts))),
        checks=(*looks.checks, f"axe {version}"),
    )
