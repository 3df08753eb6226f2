"""Counters for scripts and pages on their way from a running server to the browser, by the worker and cache of bundles.

Pure but for the worker: whoever carries the bytes (a proxy, a browser's route) hands answers in, and sends on what
comes back. What was never fetched is not counted; the map of probes grows with what is.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from instrument.asking import Asking
from instrument.classify import SOURCE_RULES, STANDS_IN, Verdict, classify, classify_page
from instrument.coverage import istanbul_maps
from instrument.detect import package_name
from instrument.encoding import Decoded, decode
from instrument.evals import eval_modules, keeps_modules, with_modules
from instrument.exchange import (
    NO_CODE,
    TOOLING_RULES,
    Answered,
    Asked,
    Role,
    changed_headers,
    charset_of,
    header,
    is_whole_page,
    name_of,
    policies_of,
    prepared,
    role_of,
    tooling,
)
from instrument.growth import Growth
from instrument.integrity import renew, states_hashes
from instrument.istanbul import looks_instrumented
from instrument.leftout import made_at_run_time
from instrument.mentions import absolute, addresses, placed
from instrument.node import ScriptError
from instrument.probes import FailedScript, ProbeMap
from instrument.shapes import Unit, read_unit
from instrument.sourcemaps import SourceMap, map_address, map_in_data
from instrument.v8scripts import KnownScripts

Fetch = Callable[[str], Awaitable[Answered | None]]
"""GET of an address of the app; None where it gives none."""

SIZE_LIMIT = 64 << 20
"""Bytes of a body that is still instrumented."""
_TRANSPILED = (
    "a transpiler in the page reads it, and what that makes of it is not known of an app that runs elsewhere: "
    "leave --coverage v8 out, and counters count it"
)
_VARIANTS = 40
"""Different texts under one address that are counted; more come from a server that makes each anew."""
_LIST_LIMIT = 16_000
_LARGEST_LIBRARY = 1_000_000
"""Characters of a library in which names of other scripts are looked for: bundles of packages name their own."""
_ROUNDS = 4
_POLICY = "\0policy:"


@dataclass(frozen=True, slots=True)
class SourceRoots:
    """The folders that a server's sources are in, as far as they are known."""

    roots: tuple[Path, ...] = ()
    """The project's own folder, then those of its workspace; empty where nothing is known."""

    @property
    def package(self) -> str:
        return package_name(self.roots[0]) if self.roots else ""


@dataclass(frozen=True, slots=True)
class Made:
    """A script or page with counters, before hashes in it are renewed."""

    name: str
    original: bytes
    body: bytes
    policies: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Addresses of scripts that it loads or names, absolute."""
    library: bool = False
    """It passes as it is: no code of the user's."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What has been seen so far."""

    scripts: tuple[str, ...]
    """Keys of what is counted."""
    failed: tuple[FailedScript, ...]
    unmeasured: tuple[FailedScript, ...]
    notes: tuple[str, ...]
    libraries: int
    """Scripts that were passed on as they are, because they are no code of the user's."""


@dataclass
class Transit:
    """All that is instrumented of one server during one run."""

    asking: Asking
    fetch: Fetch
    sources: SourceRoots = SourceRoots()
    growth: Growth = field(default_factory=Growth)
    plain: bool = False
    """All passes as it is: the app as it would be without us, to compare with."""
    v8: KnownScripts | None = None
    """Where it is there, all passes as it is too, and it is told of each script, so that V8's ranges measure them."""
    libraries: bool = False
    """Libraries are counted too, as they are served: for an app that sends nothing else."""
    bodies: dict[str, bytes] = field(default_factory=dict)
    """What was sent on, by path and query without leading slash, and the latest by path alone."""
    units: list[Unit] = field(default_factory=list)
    istanbul: bool = False
    """A script arrived with Istanbul's counters in it, and is used as it is."""
    worker_seen: bool = False
    """A service worker was fetched."""
    _failed: dict[FailedScript, None] = field(default_factory=dict)
    _unmeasured: dict[FailedScript, None] = field(default_factory=dict)
    _notes: dict[str, None] = field(default_factory=dict)
    _libraries: dict[str, str] = field(default_factory=dict)
    _transpiled: dict[str, bool] = field(default_factory=dict)
    """Names of scripts for an in-browser compiler, and whether they are TypeScript."""
    _keys: dict[str, dict[Hashable, str]] = field(default_factory=dict)
    """Name -> text of a script, or digests of a page's scripts -> key."""
    _made: dict[str, asyncio.Task[Made | None]] = field(default_factory=dict)
    _delivered: set[str] = field(default_factory=set)

    # --- what a carrier asks

    def role(self, asked: Asked, status: int, content_type: str) -> Role:
        """What to do with an answer whose head has come: "" passes it on as it is."""
        if self.plain or status != 200:
            return ""
        if asked.dest.endswith("worklet"):
            self.left(asked.url, "runs in a worklet, from which no counter can be read")
            return ""
        name = name_of(asked.url)
        role = role_of(asked, content_type, worker_seen=self.worker_seen, transpiled=name in self._transpiled)
        if asked.dest == "serviceworker":
            self.worker_seen = True
        reason = tooling(asked.url)
        if role == "page" and reason.startswith(NO_CODE):
            return role  # a server that answers every address with the app's page, /data.json too
        if role and reason:
            if role == "script":
                self._libraries[name] = reason
            return ""
        return role

    def delivered(self, url: str) -> bool:
        """Whether the browser may hold an instrumented body of this address: a 304 then speaks of that."""
        return url in self._delivered

    async def change(self, role: Role, answered: Answered, asked: Asked) -> Answered:
        """The answer with counters in its body and with headers that fit; the same where nothing is counted."""
        if role == "page" and asked.dest == "empty" and not is_whole_page(answered.body):
            return answered  # html for a script that will put it into a page
        if len(answered.body) > SIZE_LIMIT:
            self._leave(answered.url, f"larger than {SIZE_LIMIT >> 20} MB")
            return answered
        made = await self.make(role, answered)
        if self.v8 is not None:
            self._keep(answered.url, answered.body)
            return answered
        self._delivered.add(answered.url)
        if made is None:
            return answered
        body, policies = await self._renewed(made)
        self._keep(answered.url, body)
        if body == answered.body and list(policies) == policies_of(answered.headers):
            return answered
        return replace(answered, body=body, headers=changed_headers(answered.headers, len(body), policies))

    def count_libraries(self) -> None:
        """From now on libraries are counted too; for the time before anything was sent on."""
        self.libraries = True
        self._made.clear()
        self._libraries.clear()

    def probes(self) -> ProbeMap:
        """The map as it stands; the same object until it grows."""
        return self.growth.probes()

    def tally(self) -> Tally:
        """What has been seen so far."""
        return Tally(
            scripts=tuple(unit.key for unit in self.units if sum(unit.sizes)),
            failed=tuple(self._failed),
            unmeasured=tuple(self._unmeasured),
            notes=tuple(self._notes),
            libraries=len(self._libraries),
        )

    def coverage_maps(self) -> Mapping[str, Any]:
        """Istanbul's static maps in the positions of the served code, for window.__coverage__."""
        return istanbul_maps(self.units)

    # --- one script or page

    async def make(self, role: Role, answered: Answered) -> Made | None:
        """The text with counters; None where it passes as it is. Each text is made once, whoever asks."""
        digest = hashlib.sha256(answered.body)
        for part in (role, answered.url, *(policies_of(answered.headers) if role == "page" else ())):
            digest.update(b"\0" + part.encode("utf-8", "surrogateescape"))
        place = digest.hexdigest()
        if place not in self._made:
            work = self._page if role == "page" else self._script
            self._made[place] = asyncio.ensure_future(work(answered))
        return await asyncio.shield(self._made[place])

    def _key(self, name: str, text: Hashable) -> str:
        """The name, with a number where an earlier text of that name was another; "" for one too many."""
        known = self._keys.setdefault(name, {})
        if text not in known:
            if len(known) >= _VARIANTS:
                self._notes[
                    f"{name}: its code is another each time, of which {_VARIANTS} texts are counted"
                ] = None
                return ""
            known[text] = f"{name}~{len(known) + 1}" if known else name
        return known[text]

    async def _script(self, answered: Answered) -> Made | None:
        name, source = name_of(answered.url), _decoded(answered)
        if looks_instrumented(source.text):
            self.istanbul = True
            return None
        verdict = classify(name, source.text, package=self.sources.package)
        if verdict.file_class == "vendor" and verdict.certain and not self.libraries:
            self._libraries[name] = verdict.reason
            return None
        if verdict.file_class == "own" and self.libraries:
            verdict = Verdict("own", STANDS_IN)
        if keeps_modules(source.text):
            return await self._evals(answered, source)
        found = None if self.libraries else await self._map(answered, source.text)
        if found is None and _is_list_of_chunks(source.text):
            self._libraries[name] = "runtime of the bundler"
            return self._untouched(answered, source)
        key = self._key(name, source.text)
        if not key:
            return None
        message: dict[str, Any] = {"code": source.text, "goal": "auto", "mine": True, **self._mapped(found)}
        if name in self._transpiled:
            message |= {"jsx": True, "typescript": self._transpiled[name]}
        answer = await self._ask(key, "script", source.text, **message)
        if answer is None or answer.get("library"):
            return self._untouched(answered, source)
        unit = read_unit(answer["unit"], path=name, text=source.text)
        if not self._may_measure(unit, name):
            return self._untouched(answered, source)
        self._take([unit], verdict)
        self._note_unit(name, unit)
        if verdict.file_class == "own":
            self._unmeasured |= dict.fromkeys(made_at_run_time(name, source.text))
        body = source.encode(answer["code"])
        return Made(key, answered.body, body, names=absolute(placed(source.text, answered.url), answered.url))

    def _mapped(self, found: SourceMap | None) -> dict[str, Any]:
        """What the worker is told of a script's map."""
        if found is None:
            return {}
        roots = [str(root) for root in self.sources.roots]
        rules = (*TOOLING_RULES, *SOURCE_RULES)
        return {
            "map": found.text,
            "mapUrl": found.path,
            "rules": rules,
            "folders": roots,
            "roots": roots,
            "ownOnly": True,
        }

    async def _evals(self, answered: Answered, source: Decoded) -> Made:
        """A script that keeps its modules as texts for eval: each of the user's is counted, the rest stays."""
        codes: dict[int, str] = {}
        for module in eval_modules(source.text):
            key = self._key(module.path, module.code)
            address = map_address(module.code)
            found = map_in_data(address, module.path) if address.startswith("data:") else None
            found = found if isinstance(found, SourceMap) else None
            message = {"code": module.code, "goal": "script", "mine": True, **self._mapped(found)}
            answer = await self._ask(key, "script", module.code, **message) if key else None
            if answer is None or answer.get("library"):
                continue
            if key not in self.growth:
                unit = read_unit(answer["unit"], path=module.path, text=module.code)
                self._take([unit], Verdict("own", "a module that the bundler keeps as text for eval"))
                self._note_unit(module.path, unit)
            codes[module.start] = answer["code"]
        if not codes:
            self._libraries[name_of(answered.url)] = "modules of packages, kept as texts for eval"
            return self._untouched(answered, source)
        body = source.encode(with_modules(source.text, codes))
        names = absolute(placed(source.text, answered.url), answered.url)
        return Made(name_of(answered.url), answered.body, body, names=names)

    async def _page(self, answered: Answered) -> Made | None:
        name, page = name_of(answered.url), _decoded(answered)
        message = {"html": page.text, "mine": True, "policies": policies_of(answered.headers)}
        answer = await self._ask(name, "html", page.text, **message)
        if answer is None:
            return None
        # Pages that differ in their words only share their counters.
        key = self._key(name, tuple(row["digest"] for row in answer["units"]))
        if key not in ("", name):
            answer = await self._ask(key, "html", page.text, **message)
        if answer is None or not key:
            return None
        found = [read_unit(row, path=name, text=page.text) for row in answer["units"]]
        units = [unit for unit in found if self._may_measure(unit, f"{name}:{unit.line}")]
        if any(unit.key not in self.growth for unit in units):
            self._take(units, classify_page(name))
        self._failed |= dict.fromkeys(
            FailedScript(f"{name}:{row['line']}", row["reason"]) for row in answer["failed"]
        )
        if answer.get("templates"):
            reason = f"holds expressions in attributes ({answer['templates']}), which a framework runs: not measured"
            self._unmeasured[FailedScript(name, reason)] = None
        self._unmeasured |= dict.fromkeys(made_at_run_time(name, page.text))
        base = urljoin(answered.url, answer.get("base") or "")
        for row in answer["references"]:
            if row["kind"] == "transpiled":
                self._transpiled[name_of(urljoin(base, row["src"]))] = bool(row.get("typescript"))
        left_out = {row["src"] for row in answer["references"] if row["nomodule"]}
        loaded = [row["src"] for row in answer["references"]]
        named = [name for name in (*loaded, *addresses(page.text)) if name not in left_out]
        policies = tuple(answer["policies"])
        return Made(key, answered.body, page.encode(answer["html"]), policies, absolute(named, base))

    async def _ask(self, key: str, op: str, text: str, **message: Any) -> dict[str, Any] | None:
        """The worker's answer; None where it passes as it is, with the reason noted. A library's says so."""
        if self.v8 is not None:
            message["places"] = True
        try:
            answer = await self.asking.ask(key, op, text, **message)
        except ScriptError as error:
            self._failed[FailedScript(key, f"cannot be parsed: {error}")] = None
            return None
        if skipped := answer.get("skipped"):
            if answer.get("library"):
                self._libraries[key] = skipped
                return answer
            self._unmeasured[FailedScript(key, skipped)] = None
            return None
        return answer

    def _may_measure(self, unit: Unit, name: str) -> bool:
        """Whether what the browser runs is this code: V8 sees only what a transpiler in the page makes of JSX."""
        if self.v8 is None or not unit.transpiled:
            return True
        self._unmeasured[FailedScript(name, _TRANSPILED)] = None
        return False

    def _untouched(self, answered: Answered, source: Decoded) -> Made:
        told = source.text if len(source.text) <= _LARGEST_LIBRARY else ""
        names = absolute(placed(told, answered.url), answered.url)
        return Made(name_of(answered.url), answered.body, answered.body, names=names, library=True)

    def _take(self, units: list[Unit], verdict: Verdict) -> None:
        """Adds units before anything of theirs is sent on, so that no hit comes from an unknown script."""
        self.units += units
        self.growth.add(units, verdict)
        for unit in units:
            if self.v8 is not None and unit.places is not None:
                self.v8.add(unit.key, unit.places)

    def _note_unit(self, name: str, unit: Unit) -> None:
        if unit.problem:
            told = f"its source map cannot be used ({unit.problem}), so its numbers are of the served file"
            self._notes[f"{name}: {told}"] = None
        for shape in unit.files:
            if shape.problem and not shape.vendor:
                told = f"cannot be parsed ({shape.problem}), so only what was built of it is counted"
                self._notes[f"{shape.path}: {told}"] = None

    def _leave(self, url: str, reason: str) -> None:
        self._unmeasured[FailedScript(name_of(url), reason)] = None

    def left(self, url: str, reason: str) -> None:
        """A carrier could not read an answer that should be counted."""
        self._leave(url, reason)

    def _keep(self, url: str, body: bytes) -> None:
        parts = urlsplit(url)
        path = unquote(parts.path).removeprefix("/")
        self.bodies[name_of(url)] = self.bodies[path] = body
        if parts.query:
            self.bodies[f"{path}?{parts.query}"] = body

    # --- source maps

    async def _map(self, answered: Answered, text: str) -> SourceMap | None:
        """The script's map: in it, at the address that it or a header names."""
        said = header(answered.headers, "sourcemap") or header(answered.headers, "x-sourcemap")
        address = map_address(text) or said
        if not address:
            return None
        name = name_of(answered.url)
        if address.startswith("data:"):
            found = map_in_data(address, name)
            if isinstance(found, SourceMap):
                return found
            self._note_map(name, found)
            return None
        url = urljoin(answered.url, address)
        got = await self.fetch(url)
        if got is None or got.status != 200 or got.body.lstrip()[:1] not in (b"{", b")"):
            self._note_map(name, f"the source map {address[:100]} is not there")
            return None
        return SourceMap(got.body.decode("utf-8-sig", "replace"), name_of(url))

    def _note_map(self, name: str, reason: str) -> None:
        self._notes[f"{name}: {reason}, so its numbers are of the served file"] = None

    # --- integrity

    async def _renewed(self, made: Made) -> tuple[bytes, list[str]]:
        """The body and policies with the hashes that they state of other scripts renewed."""
        policies = {f"{_POLICY}{at}": policy.encode() for at, policy in enumerate(made.policies)}
        if not any(map(states_hashes, (made.body, *policies.values()))):
            return made.body, list(made.policies)
        found = {made.name: made}
        front = [made]
        for _ in range(_ROUNDS):
            names = dict.fromkeys(
                name for each in front if each is made or states_hashes(each.body) for name in each.names
            )
            peers = [peer for peer in await asyncio.gather(*map(self._peer, names)) if peer]
            front = [peer for peer in peers if peer.name not in found]
            found |= {peer.name: peer for peer in front}
        originals = {name: each.original for name, each in found.items()}
        bodies = renew({name: each.body for name, each in found.items()} | policies, originals | policies)
        return bodies[made.name], [bodies[name].decode() for name in policies]

    async def _peer(self, url: str) -> Made | None:
        """Another script of the app, made as it will be when the browser asks for it."""
        if tooling(url):
            return None
        answered = await self.fetch(url)
        asked = Asked(url, "script")
        if answered is None or self.role(asked, answered.status, answered.content_type) != "script":
            return None
        return await self.make("script", answered)

    async def look_ahead(self, url: str, *, entry: bool = False) -> Made | None:
        """Fetches a script or page that was mentioned, and counts it; of the server's tools it reads what they name.

        `entry`: it is the page that opens the app, whatever its name.
        """
        if prepared(url) and not entry:
            return None
        answered = await self.fetch(url)
        if answered is None:
            return None
        if tooling(url) and role_of(Asked(url), answered.content_type) == "script":
            return self._untouched(answered, _decoded(answered))
        role = self.role(Asked(url, "", "text/html"), answered.status, answered.content_type)
        if not role or (role == "page" and not is_whole_page(answered.body)):
            return None
        return await self.make(role, answered)


def _decoded(answered: Answered) -> Decoded:
    return decode(answered.body, charset=charset_of(answered.content_type))


def _is_list_of_chunks(text: str) -> bool:
    """Whether a script hands Turbopack's runtime the names of chunks, and does nothing else."""
    if "TURBOPACK" not in text or len(text) > _LIST_LIMIT:
        return False
    return "parentImport" in text or ("=>" not in text and "function" not in text)
