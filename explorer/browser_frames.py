"""Frames of the app that its page cannot look into (sandboxed ones): observed apart, and put into what the page says.

Their agents are roots of their own. An element in one is named by the frame, `APART`, and its ref or locator there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.async_api import ElementHandle, Frame

from explorer.browser_wire import Wire

APART = " >>| "
"""Between the name of a frame and what is in it."""

_PLACE = """(e, nth) => {
  const box = e.getBoundingClientRect();
  return { name: e.id ? `#${e.id}` : e.name ? `iframe[name="${e.name}"]` : `frame ${nth}`,
    x: box.left + e.clientLeft, y: box.top + e.clientTop, shown: box.width > 0 && box.height > 0 && e.checkVisibility() };
}"""
_BRING = "(e) => e.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })"


@dataclass(frozen=True)
class FrameApart:
    """One such frame, where it is in the viewport, and what its agent said."""

    frame: Frame
    name: str
    x: float
    y: float
    wire: Wire


async def find_apart(frame: Frame, wire: Wire, *, nth: int) -> FrameApart | None:
    """The frame with its place; None where it is not shown. Raises what Playwright raises where it has gone."""
    element = await frame.frame_element()
    place = await element.evaluate(_PLACE, nth)
    if not place["shown"]:
        return None
    x, y = await _place_of(frame.parent_frame)
    return FrameApart(frame, str(place["name"]), x + place["x"], y + place["y"], wire)


async def bring_into_view(frame: Frame) -> tuple[float, float]:
    """Scrolls to a frame; the place of its upper left corner in the viewport of the page."""
    element: ElementHandle = await frame.frame_element()
    await element.evaluate(_BRING)
    return await _place_of(frame)


def is_frame_at(x: float, y: float) -> str:
    """Whether what lies uppermost at a point of the page is a frame, as an expression for the page."""
    return (
        f"(() => {{ let at = null; for (let root = document; root; root = at && at.shadowRoot)"
        f" at = root.elementFromPoint({x}, {y}); return !!at && /^i?frame$/.test(at.localName); }})()"
    )


async def _place_of(frame: Frame | None) -> tuple[float, float]:
    """Sum over the frames around it: each says where it is in its parent's viewport."""
    x = y = 0.0
    while frame is not None and frame.parent_frame is not None:
        place = await (await frame.frame_element()).evaluate(_PLACE, 0)
        x, y, frame = x + place["x"], y + place["y"], frame.parent_frame
    return x, y


def merged(wire: dict[str, Any], apart: Sequence[FrameApart], *, html: str) -> dict[str, Any]:
    """The page's observation with those of its frames: elements, html, handlers, timers and effects.

    html: the page's own where the observation says that it is what it was.
    """
    if not apart:
        return wire
    together = {**wire, "effects": dict(wire.get("effects") or {})}
    inside = "".join(f"<x-frame>{each.wire['html']}</x-frame>" for each in apart)
    together["html"] = _within_body(html if wire["html"] is None else wire["html"], inside)
    for each in apart:
        inner = each.wire
        elements = [_named(each, element, viewport=wire["viewport"]) for element in inner["elements"]]
        together["elements"] = [*together["elements"], *elements]
        together["digest"] = f"{together['digest']}+{inner['digest']}"
        together["canvas"] = "+".join(filter(None, (together.get("canvas"), inner.get("canvas"))))
        for field in ("page_handlers", "timers", "broken_images"):
            together[field] = [*(together.get(field) or ()), *(inner.get(field) or ())]
        together["ran"] = together.get("ran", True) or inner.get("ran", True)
        for effect, count in (inner.get("effects") or {}).items():
            together["effects"][effect] = (together["effects"].get(effect) or 0) + count
    return together


def _within_body(html: str, inside: str) -> str:
    """At the body's end: what stands behind it is no part of the page to a reader of html."""
    before, body, after = html.rpartition("</body>")
    return f"{before}{inside}{body}{after}" if body else html + inside


def _named(apart: FrameApart, element: Mapping[str, Any], *, viewport: Sequence[float]) -> dict[str, Any]:
    """An element of the frame, as one of the page's."""
    x, y, width, height = element["box"]
    x, y = x + apart.x, y + apart.y
    named = {
        **element,
        "ref": f"{apart.name}{APART}{element['ref']}",
        "locator": f"{apart.name}{APART}{element['locator']}",
        "family": f"{apart.name} {element['family']}",
        "box": [x, y, width, height],
    }
    if not (-width < x < viewport[0] and -height < y < viewport[1]):
        named["offscreen"] = True
    if element.get("form"):
        named["form"] = f"{apart.name}{APART}{element['form']}"
    if (field := element.get("field")) and field.get("form"):
        named["field"] = {**field, "form": f"{apart.name}{APART}{field['form']}"}
    return named


def frames_by_name(apart: Iterable[FrameApart]) -> dict[str, Frame]:
    """Which frame a name stands for now."""
    return {each.name: each.frame for each in apart}


def name_of(handle: str) -> str:
    """Name of the frame that a ref or locator is in; "" for the page itself."""
    return parts_of(handle)[0]


def parts_of(handle: str) -> tuple[str, str]:
    """(frame's name or "", ref or locator in it)."""
    name, apart, rest = handle.partition(APART)
    return (name, rest) if apart else ("", handle)


def call(method: str, *handles: str) -> str:
    """A call of the agent with refs or locators, as an expression for the frame that they are in."""
    return f"__explorer$.{method}({', '.join(json.dumps(parts_of(handle)[1]) for handle in handles)})"
