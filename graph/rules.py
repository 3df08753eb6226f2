"""What a state leaves out: the ordered rules that `graph.normalize` applies to a page before it is compared.

A rule is one small pure function over an lxml tree, an attribute, a class name or a piece of text. `RULES` holds
the built-in ones in their order; extend them with `rules=(*RULES, TextRule("prices", mask_prices))`.

The idea (drop scripts and styles, drop mutable attributes, replace timestamps and clock strings by placeholders)
is WebCraftBench's, section 4.3; the lists and patterns are ours. Every text rule is idempotent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lxml import etree


@dataclass(frozen=True, slots=True)
class TreeRule:
    """Names the elements to leave out, content included."""

    name: str
    apply: Callable[[etree._Element], Iterable[etree._Element]]
    """Takes the root."""


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """Rewrites an attribute's value, or drops the attribute by None. `class` is not among them."""

    name: str
    apply: Callable[[str, str], str | None]
    """Takes name in lower case and value."""


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Rewrites one class name, or drops it by None."""

    name: str
    apply: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class TextRule:
    """Rewrites a text, whitespace already collapsed."""

    name: str
    apply: Callable[[str], str]


Rule = TreeRule | AttributeRule | ClassRule | TextRule

# --- tree ---------------------------------------------------------------------------------------------------

_UNSEEN = ("script", "noscript", "style", "link", "meta", "base", "template", "source", "track", "param")


def unseen(root: etree._Element) -> Iterable[etree._Element]:
    """Scripts, styles, metadata and templates: nothing that a user sees.

    The root itself is never named. Comments and processing instructions are left out by the walk.
    """
    return [element for element in root.iter(*_UNSEEN) if element is not root]


def placeholders(root: etree._Element) -> Iterable[etree._Element]:
    """Hidden elements with nothing in or on them, which frameworks put among the children of body to find a place again."""
    return [
        element
        for element in root.iter("div", "span", "input")
        if len(element) == 0
        and not (element.text or "").strip()
        and element.get("hidden") is not None
        and all(name in ("hidden", "style", "data-x-hidden") for name in element.attrib)
    ]


_SPEAKING = frozenset(("alert", "status", "log"))
_LIVE = frozenset(("assertive", "polite"))
_READ_ALOUD = re.compile(
    r"(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-only|-text)?|route-announcer|live-announcer[\w-]*)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_CLIPPED = re.compile(
    r"(?<![\w-])clip(?:-path)?\s*:\s*(?:rect\(\s*[01](?:px)?\b|inset\(\s*(?:50|100)%)", re.IGNORECASE
)


def announcers(root: etree._Element) -> Iterable[etree._Element]:
    """Regions that only screen readers hear, such as the route announcers of Next.js, Nuxt, SvelteKit, Astro and Gatsby.

    They hold whatever was announced last and stand wherever they were first put in, so the same page reached by a link
    and by a load would be two. A custom element around nothing else goes with its region.
    """
    return [_shell(element) for element in root.iter() if element is not root and _is_announcer(element)]


def _is_announcer(element: etree._Element) -> bool:
    if not isinstance(element.tag, str):
        return False
    if element.get("data-live-announcer") is not None:  # React Aria's, around its regions
        return True
    if element.get("aria-live") not in _LIVE and element.get("role") not in _SPEAKING:
        return False
    said = f"{element.get('class') or ''} {element.get('id') or ''}"
    return bool(_CLIPPED.search(element.get("style") or "") or _READ_ALOUD.search(said))


def _shell(element: etree._Element) -> etree._Element:
    """The outermost shadow root or custom element that holds this one and nothing else."""
    parent = element.getparent()
    while (
        parent is not None
        and parent.getparent() is not None
        and "-" in str(parent.tag)
        and len(parent) == 1
        and not f"{parent.text or ''}{element.tail or ''}".strip()
    ):
        element, parent = parent, parent.getparent()
    return element


_TO_TOP = re.compile(
    r"(?:.*[\s_-])?(?:scroll|back|go|return|to)[_-]?(?:to[_-]?)?(?:the[_-]?)?top(?:[\s_-].*)?", re.IGNORECASE
)


def scroll_helpers(root: etree._Element) -> Iterable[etree._Element]:
    """Buttons back to the top, which come and go with the scroll position of every page."""
    return [
        element
        for element in root.iter("a", "button", "div")
        if len(element) <= 1
        and (_TO_TOP.fullmatch(element.get("class") or "") or _TO_TOP.fullmatch(element.get("id") or ""))
    ]


# --- attributes ---------------------------------------------------------------------------------------------

_MUTABLE = re.compile(
    r"""style|nonce|integrity|crossorigin|tabindex|srcset|sizes|loading|decoding|fetchpriority
    |data-react(?:id|root|-checksum).*|data-v-[\w-]+|_ngcontent.*|_nghost.*|ng-version|ng-reflect-.*
    |data-astro-.*|data-svelte-h|data-emotion|data-styled.*|data-n-head|data-server-rendered|data-hydrated
    |data-n-[gp]|data-nimg|data-new-gr-.*|data-popper-.*|data-floating-.*|data-turbo-.*|data-x-value|value
    |d|points|transform|viewbox|[xyr]|x[12]|y[12]|c[xy]|r[xy]|dx|dy|stroke-dash(?:array|offset)|offset
    |data-(?:time|timestamp|date|ts|seed|nonce|key|index|position|offset|[xy])|datetime""",
    re.VERBOSE,
)
_REFERENCES = frozenset(
    "id for name key form list headers aria-labelledby aria-controls aria-describedby aria-owns "
    "aria-activedescendant aria-details aria-errormessage aria-flowto data-target data-bs-target "
    "data-id data-key data-testid".split()
)
_OFF_BY_DEFAULT = frozenset(
    f"aria-{name}" for name in "disabled hidden busy invalid modal current readonly".split()
)
_ADDRESSES = frozenset("href src action formaction poster data xlink:href".split())


def mutable_attributes(name: str, value: str) -> str | None:
    """Drops what frameworks and layouts change at will: inline styles, scope markers, geometry, typed values."""
    return None if _MUTABLE.fullmatch(name) else value


def said_by_default(name: str, value: str) -> str | None:
    """Drops an ARIA state that is off, where leaving the attribute out says the same."""
    return None if value == "false" and name in _OFF_BY_DEFAULT else value


def reference_ids(name: str, value: str) -> str | None:
    """Masks the generated parts of ids and of references to ids: "radix-:r1:" and "radix-:r7:" are one."""
    return mask_ids(value) if name in _REFERENCES else value


def addresses(name: str, value: str) -> str | None:
    """Masks ids in links and sources; data and blob addresses become their scheme."""
    if name not in _ADDRESSES:
        return value
    scheme = value[:5].lower()
    if scheme in ("data:", "blob:"):
        return scheme
    return mask_ids(value)


# --- classes ------------------------------------------------------------------------------------------------

_SCOPES = re.compile(
    r"(?:svelte|astro|jsx|data-v|ng-tns|ng-star-inserted|sc|jss|emotion|tss)-?[\w-]*\d[\w-]*"
    r"|sc-[A-Za-z]{4,}|ng-star-inserted"
)
_EMOTION = re.compile(r"(?:css|mui|c|go|e)-?[a-z0-9]*\d[a-z0-9]*(?:-([A-Za-z][\w-]*))?")
_MODULE = re.compile(r"([A-Za-z][\w-]*?)(?:__|--|_|-)([A-Za-z0-9+/-]{5,8})")
_VITE_MODULE = re.compile(r"_([A-Za-z][\w-]*?)_[a-z0-9]{5,6}_\d+")
_TRANSIENT = re.compile(
    r"(?:.*-)?(?:enter|leave|appear|exit)-(?:active|from|to|done|start|end)"
    r"|(?:.*[-_])?(?:hover|hovered|over|focus|focused|focusVisible|focus-visible|focus-within)"
    r"|(?:is-)?(?:animating|transitioning|collapsing)|animate__\w+|ripple\w*|.*[-_]ripple"
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def scope_classes(token: str) -> str | None:
    """Drops classes that only tie an element to a scoped stylesheet: svelte-1x2y3z, sc-bdVaJa, jsx-123."""
    return None if _SCOPES.fullmatch(token) else token


def hashed_classes(token: str) -> str | None:
    """Cuts the hash off CSS-module and CSS-in-JS classes: Button_root__3fK2a -> Button_root, css-1dbjc4n -> none."""
    if match := _VITE_MODULE.fullmatch(token):
        return match[1]
    if (match := _EMOTION.fullmatch(token)) and looks_generated(
        token.split("-")[1] if "-" in token else token
    ):
        return match[1]
    if (match := _MODULE.fullmatch(token)) and looks_generated(match[2]):
        return match[1]
    return None if looks_generated(token) else token


def transient_classes(token: str) -> str | None:
    """Drops classes that a transition, the pointer or the focus puts on for a moment."""
    return None if _TRANSIENT.fullmatch(token) else token


def numbered_classes(token: str) -> str | None:
    """Masks numbers: tile-2 and tile-4 are one, and so are the rows row-1 to row-99; odd and even are dropped."""
    return None if token in ("odd", "even") else _DIGITS.sub("#", token)


# --- text ---------------------------------------------------------------------------------------------------

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s)?"
_ISO = re.compile(r"\b\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z\b|[+-]\d\d:?\d\d)?)?")
_DATE = re.compile(
    rf"\b{_DAY}(?:{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?:,?\s\d{{4}}\b)?|{_MONTH}\s\d{{4}}\b)"
    r"|\b\d{1,4}([/.])\d{1,2}\1\d{1,4}\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]m\b", re.IGNORECASE
)
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhd])"
_AGO = re.compile(
    rf"\b(?:just now|moments? ago|(?:(?:about|over|almost)\s)?(?:an?|\d+)\s?{_UNIT} ago|in (?:an?|\d+)\s?{_UNIT})\b",
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:ms|s|secs?|m|mins?|h|hrs?)\b(?:\s?\d+\s?(?:ms|s|secs?|m|mins?)\b)*"
)
_UUID = re.compile(r"\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b", re.IGNORECASE)
_HAS_DIGIT = re.compile(r"\d")


def timestamps(text: str) -> str:
    """Dates, with or without a time, in the usual notations -> {date}."""
    if not _HAS_DIGIT.search(text):
        return text
    return _DATE.sub("{date}", _ISO.sub("{date}", text))


def clocks(text: str) -> str:
    """12:34, 09:15:00.25, 3 pm -> {clock}; 1h 20m, 350 ms -> {duration}."""
    if not _HAS_DIGIT.search(text):
        return text
    return _DURATION.sub("{duration}", _CLOCK.sub("{clock}", text))


def relative_times(text: str) -> str:
    """ "3 minutes ago", "just now", "in 2 hours" -> {ago}."""
    return _AGO.sub("{ago}", text)


def random_ids(text: str) -> str:
    """UUIDs and long hexadecimal strings -> {id}."""
    if not _HAS_DIGIT.search(text):
        return text
    return _HEX.sub("{id}", _UUID.sub("{id}", text))


def counters(text: str) -> str:
    """Numbers -> #: "3 items left" and "12 items left" are one."""
    return _DIGITS.sub("#", text)


# --- what the rules share -----------------------------------------------------------------------------------

_TOKEN = re.compile(r"[A-Za-z0-9]{6,}")
_RANDOM_PART = re.compile(r":r[0-9a-z]+:|«r[0-9a-z]+»")


def mask_ids(text: str) -> str:
    """An id or address with its generated parts replaced by #: "/item/42/edit" -> "/item/#/edit"."""
    masked = _RANDOM_PART.sub("#", _UUID.sub("#", text))
    masked = _TOKEN.sub(lambda match: "#" if looks_generated(match[0]) else match[0], masked)
    return _DIGITS.sub("#", masked)


_LETTERS = re.compile(r"[A-Za-z]+")
_HUMPS = re.compile(r"[A-Z]?[a-z]*")
_SWITCH = re.compile(r"(?<=[a-z])[A-Z]|(?<=[a-zA-Z])\d|(?<=\d)[a-zA-Z]")


def looks_generated(token: str) -> bool:
    """Whether a token reads like a hash: letters, digits and cases mixed as no name mixes them.

    "1dbjc4n", "kZqQpA" and "a81bc0d" do; "sidebar", "h3title2", "fooBarBaz", "addToDo" and "col12" do not.
    """
    if not 5 <= len(token) <= 64 or not token.isalnum():
        return False
    switches = len(_SWITCH.findall(token))
    if any(character.isdigit() for character in token):
        return switches >= 3 and max(map(len, _LETTERS.findall(token))) <= 4
    humps = [hump for hump in _HUMPS.findall(token) if hump]
    return switches >= 2 and len(token) <= 12 and min(map(len, humps)) == 1


RULES: tuple[Rule, ...] = (
    TreeRule("unseen elements", unseen),
    TreeRule("placeholders", placeholders),
    TreeRule("announcers", announcers),
    TreeRule("scroll helpers", scroll_helpers),
    AttributeRule("mutable attributes", mutable_attributes),
    AttributeRule("said by default", said_by_default),
    AttributeRule("reference ids", reference_ids),
    AttributeRule("addresses", addresses),
    ClassRule("scope classes", scope_classes),
    ClassRule("hashed classes", hashed_classes),
    ClassRule("transient classes", transient_classes),
    ClassRule("numbered classes", numbered_classes),
    TextRule("timestamps", timestamps),
    TextRule("clocks", clocks),
    TextRule("relative times", relative_times),
    TextRule("random ids", random_ids),
    TextRule("counters", counters),
)
"""The built-in rules, in the order in which they are applied."""
