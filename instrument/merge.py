"""Shapes without a syntax tree that overlap: two bundles of one source, merged so that each place is one probe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from instrument.shapes import Ints, Shape

_Branch = tuple[str, int, int, int]
"""Type, line and column where it begins, number of arms: equal for the same branch in two bundles."""


def merge_points(shapes: Sequence[Shape]) -> tuple[Shape, list[Ints]]:
    """One shape with every place once, and for each given shape its local ids in it."""
    statements, of_statement = _unique([shape.statements for shape in shapes])
    functions, of_function = _unique([shape.decl for shape in shapes])
    names = [""] * len(functions)
    owner = np.full(len(statements), -1, np.int32)
    for shape, statement, function in zip(shapes, of_statement, of_function, strict=True):
        for at, name in zip(function.tolist(), shape.names, strict=True):
            names[at] = names[at] or name
        owned = shape.owner >= 0
        owner[statement[owned]] = function[shape.owner[owned]]
    branches, of_arm = _merge_branches(shapes, of_function)
    merged = replace(
        branches, statements=statements, owner=owner, names=tuple(names), decl=functions, loc=functions
    )
    first, second = len(statements), len(statements) + len(functions)
    parts = zip(of_statement, of_function, of_arm, strict=True)
    return merged, [
        np.concatenate([statement, function + first, arm + second]).astype(np.int32)
        for statement, function, arm in parts
    ]


def _merge_branches(shapes: Sequence[Shape], functions: Sequence[Ints]) -> tuple[Shape, list[Ints]]:
    """The first shape with the branches of all, and for each shape the place of its arms among them."""
    first_arm: dict[_Branch, int] = {}
    rows: list[tuple[str, Ints, int, int, Ints]] = []
    total = 0
    places = []
    for shape, function in zip(shapes, functions, strict=True):
        ends = accumulate(shape.branch_sizes.tolist(), initial=0)
        found = [np.empty(0, np.int32)]
        for at, (low, high) in enumerate(pairwise(ends)):
            loc, size = shape.branch_loc[at], high - low
            key = (shape.branch_types[at], int(loc[0]), int(loc[1]), size)
            if key not in first_arm:
                first_arm[key] = total
                total += size
                owner = int(shape.branch_owner[at])
                rows.append(
                    (key[0], loc, size, int(function[owner]) if owner >= 0 else -1, shape.arms[low:high])
                )
            found.append(np.arange(first_arm[key], first_arm[key] + size, dtype=np.int32))
        places.append(np.concatenate(found))
    merged = replace(
        shapes[0],
        branch_types=tuple(row[0] for row in rows),
        branch_loc=np.array([row[1] for row in rows], np.int32).reshape(-1, 4),
        branch_sizes=np.array([row[2] for row in rows], np.int32),
        branch_owner=np.array([row[3] for row in rows], np.int32),
        arms=np.concatenate([np.empty((0, 4), np.int32), *(row[4] for row in rows)]),
    )
    return merged, places


def _unique(rows: Sequence[Ints]) -> tuple[Ints, list[Ints]]:
    """Rows with each beginning once, up to the furthest end, and for each given row its place among them."""
    every = np.concatenate(rows)
    begins, inverse = np.unique(every[:, :2], axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.lexsort((every[:, 3], every[:, 2], inverse))
    lasts = order[np.searchsorted(inverse[order], np.arange(len(begins)), side="right") - 1]
    ends = list(accumulate((len(part) for part in rows), initial=0))
    values = np.concatenate([begins, every[lasts, 2:]], axis=1).astype(np.int32)
    return values, [inverse[low:high].astype(np.int32) for low, high in pairwise(ends)]
