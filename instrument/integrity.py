"""Subresource integrity: hashes of files that were changed are renewed wherever the app states them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

_HASH = re.compile(rb"sha(?:256|384|512)-[A-Za-z0-9+/]{43,86}={0,2}")
_ROUNDS = 5
"""A loader that holds hashes has one itself; chains of that kind are this long at most."""


def renew(bodies: Mapping[str, bytes], originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """The bodies with every hash of an original replaced by that of its changed body.

    A hash that does not fit its original stays: the browser refuses the file as it did before. `bodies` and
    `originals` are by path.
    """
    stated = {match for body in bodies.values() for match in _HASH.findall(body)}
    if not stated:
        return dict(bodies)
    algorithms = sorted({name.split(b"-")[0].decode() for name in stated})
    known = {
        _digest(algorithm, original): (path, algorithm)
        for path, original in originals.items()
        for algorithm in algorithms
    }
    changed = {old: known[old] for old in stated if old in known}
    stating = {path: body for path, body in bodies.items() if any(old in body for old in changed)}
    found = dict(bodies)
    for _ in range(_ROUNDS):
        fresh = {old: _digest(algorithm, found[path]) for old, (path, algorithm) in changed.items()}
        before = found
        found = {**bodies, **{path: _replace(body, fresh) for path, body in stating.items()}}
        if found == before:
            break
    return found


def _digest(algorithm: str, body: bytes) -> bytes:
    return f"{algorithm}-".encode() + base64.b64encode(hashlib.new(algorithm, body).digest())


def _replace(body: bytes, fresh: Mapping[bytes, bytes]) -> bytes:
    return _HASH.sub(lambda match: fresh.get(match[0], match[0]), body)


def states_hashes(body: bytes) -> bool:
    """Whether a text states hashes of files."""
    return _HASH.search(body) is not None
