"""Apps that arrive instrumented: Istanbul's coverage objects read as probes and as hits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import numpy as np

from instrument.assemble import assemble
from instrument.classify import Verdict, classify, classify_page
from instrument.probes import ProbeMap
from instrument.shapes import Ints, Shape, Unit

Coverage = Mapping[str, Mapping[str, Any]]
"""`{path: {path, statementMap, fnMap, branchMap, s, f, b}}`, as window.__coverage__ has it."""

_CALL = re.compile(r"\bcov_[0-9a-z]{6,}\b")


def looks_instrumented(text: str) -> bool:
    """Whether a script carries the counters of Istanbul or of a tool like it."""
    if "statementMap" not in text or "__coverage__" not in text:
        return False
    return bool(_CALL.search(text)) or "_coverageSchema" in text or "branchMap" in text


def probe_map_of(coverage: Coverage, *, root: str = "") -> ProbeMap:
    """Probes of Istanbul's coverage object.

    The script key is Istanbul's path; slots are statements, functions and arms in the order of the maps. `root`
    is the folder that is cut off the paths, by default the deepest that all share.
    """
    base = root or _common_folder(list(coverage))
    units: list[Unit] = []
    verdicts: dict[str, Verdict] = {}
    for key, entry in coverage.items():
        path = key[len(base) :].replace("\\", "/").lstrip("/") if key.startswith(base) else key.lstrip("/")
        shape = _shape(path, entry)
        units.append(Unit(key=key, line=1, sizes=(*shape.sizes, 0), served=shape))
        verdicts[path] = classify_page(path) if path.endswith(".html") else classify(path, "")
    return assemble(units, verdicts)


def hits_of(coverage: Coverage, probes: ProbeMap) -> frozenset[int]:
    """Probes whose count in Istanbul's coverage object is not zero; unknown files are left out."""
    return frozenset(
        probe for key, entry in coverage.items() for probe in probes.resolve(key, _hit_slots(entry))
    )


def _hit_slots(entry: Mapping[str, Any]) -> Iterator[int]:
    counts = [
        *(entry["s"][name] for name in entry["statementMap"]),
        *(entry["f"][name] for name in entry["fnMap"]),
        *(count for name in entry["branchMap"] for count in entry["b"][name]),
    ]
    return (slot for slot, count in enumerate(counts) if count)


def _shape(path: str, entry: Mapping[str, Any]) -> Shape:
    functions, branches = list(entry["fnMap"].values()), list(entry["branchMap"].values())
    statements = _rows(entry["statementMap"].values())
    bodies = _rows(fn["loc"] for fn in functions)
    starts = _rows(fn.get("decl", fn["loc"]) for fn in functions)
    locations = _rows(branch.get("loc") or branch["locations"][0] for branch in branches)
    return Shape(
        path=path,
        text="",
        vendor="",
        parsed="istanbul",
        problem="",
        statements=statements,
        owner=_owners(statements, starts, bodies),
        names=tuple(str(fn.get("name", "")) for fn in functions),
        decl=starts,
        loc=bodies,
        branch_types=tuple(str(branch.get("type", "")) for branch in branches),
        branch_loc=locations,
        branch_sizes=np.array([len(branch["locations"]) for branch in branches], np.int32),
        branch_owner=_owners(locations, starts, bodies),
        arms=_rows(place for branch in branches for place in branch["locations"]),
    )


def _rows(places: Any) -> Ints:
    rows = [_row(place) for place in places]
    return np.array(rows, np.int32).reshape(-1, 4)


def _row(place: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """JSON turns Istanbul's endless columns into null, and an else that is not written has no line."""
    start, end = place.get("start") or {}, place.get("end") or {}
    if start.get("line") is None:
        return 0, 0, 0, 0
    line = end.get("line") or start["line"]
    column = end.get("column")
    return start["line"], start.get("column") or 0, line, 10_000 if column is None else column


def _owners(places: Ints, starts: Ints, bodies: Ints) -> Ints:
    """For each place the innermost function around it: the last begun of those that have not ended."""
    owners = np.full(len(places), -1, np.int32)
    scale = 1 << 20
    begin = starts[:, 0].astype(np.int64) * scale + starts[:, 1]
    end = bodies[:, 2].astype(np.int64) * scale + bodies[:, 3]
    at = places[:, 0].astype(np.int64) * scale + places[:, 1]
    for function in np.argsort(begin, kind="stable").tolist():
        owners[(at >= begin[function]) & (at < end[function])] = function
    return owners


def _common_folder(paths: list[str]) -> str:
    """The deepest folder that all are in, with its separator; "" for none."""
    folders = [re.split(r"(?<=[/\\])", path)[:-1] for path in paths]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "".join(parts[0] for parts in shared)
