"""An app that is served elsewhere: its address is checked, its server started where a command says how, and all that
the browser fetches from it gets counters on the way.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from ssl import SSLCertVerificationError, SSLError
from urllib.parse import urljoin, urlsplit

from explorer.browser_network import Wall, origin_of
from explorer.cdn_answers import Cdn
from explorer.httpwire import BadMessage
from explorer.options import Options
from explorer.packages import PackageStore
from explorer.proxy import TransitProxy, fetched
from explorer.scene import Scene, Subject
from explorer.wording import plural
from instrument.bundle import Bundle
from instrument.classify import STANDS_IN
from instrument.detect import Build, is_url
from instrument.errors import AppError, UsageError
from instrument.exchange import Answered, header
from instrument.lookahead import look_ahead
from instrument.markers import BuildKind
from instrument.probes import FailedScript
from instrument.runner import start_server
from instrument.sourceroots import source_roots
from instrument.transit import SourceRoots, Transit
from instrument.v8scripts import KnownScripts

SERVED_NOTES = (
    "The app was explored where it is served: the browser's storage is emptied between loads, but what its server keeps "
    "(accounts, databases, files) cannot be, so what a run does may show in the next one.",
    "Coverage is of what was fetched: code that the server never sent is in no number.",
)
SERVER_LOG = "server.log"
_REDIRECTS, _OK = 5, 200
_READY_TRIES, _READY_PAUSE_S = 20, 0.5
_SIGNS: tuple[tuple[BuildKind, re.Pattern[bytes], str], ...] = (
    ("next", re.compile(rb"/_next/static/"), "the page loads _next/static"),
    ("nuxt", re.compile(rb"/_nuxt/"), "the page loads _nuxt files"),
    ("sveltekit", re.compile(rb"/_app/immutable/|__sveltekit_"), "the page carries SvelteKit's data"),
    (
        "astro",
        re.compile(rb"/_astro/|<astro-|data-astro-|/@id/astro:"),
        "the page carries Astro's files or marks",
    ),
    ("vite", re.compile(rb"/@vite/client"), "the page loads /@vite/client, as Vite's dev server has it"),
)
"""Frameworks before what they are built on."""


@dataclass(frozen=True, slots=True)
class Running:
    """An app to be explored where it is served."""

    url: str
    root: Path | None = None
    """The project's folder, where it is known: sources are told by it."""
    start: str = ""
    """Command that starts the server, in `root`; "" for one that runs already."""
    whole: bool = False
    """Where it sends no code of its own, its libraries are taken for it: for a project that was built here."""


def whole_target(target: str, options: Options) -> str:
    """The target, or what stands for it where none is given: the folder that --start is run in, or the address."""
    return target or ("." if options.start else options.url)


def plan_running(target: str, options: Options) -> Running | None:
    """The plan for a target or --url that is an address; None for one that is a path alone.

    Raises UsageError for an address that cannot be explored, and for options that do not go together.
    """
    if options.start and not options.url:
        raise UsageError(
            "--start says how to start the server, but not where it answers: add --url http://localhost:PORT."
        )
    if options.start and is_url(target):
        raise UsageError(
            "--start is run in the project's folder: name that as the target, and the address by --url."
        )
    if not options.url and not is_url(target):
        return None
    if options.verify_coverage:
        raise UsageError(
            "--verify-coverage needs the app's files: leave it out for an app that is served elsewhere."
        )
    named = target and is_url(target)
    if options.url and named and _normal(target) != _normal(options.url):
        raise UsageError(f"Two addresses were given, {target} and {options.url}: leave one out.")
    url = _normal(options.url or target)
    root = None if named or not target else Path(target).expanduser().absolute()
    if root is not None and not root.is_dir():
        raise UsageError(f"{target} is no folder: name the project's folder, or give --url alone.")
    return Running(url, root, options.start)


def _normal(address: str) -> str:
    """An address with its scheme and path. Raises UsageError for one that is not http(s)."""
    text = re.sub(r"^(https?):/(?=[^/])", r"\1://", address.strip(), flags=re.IGNORECASE)
    text = text if "://" in text else f"http://{text}"
    parts = urlsplit(text)
    try:
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        raise UsageError(
            f"{address} is no address that can be explored: give http://HOST:PORT/ or https://HOST/."
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "An address with a user name or password would end up in the run folder: "
            "let the app be reached without one, and leave it out."
        )
    return parts._replace(path=parts.path or "/", fragment=parts.fragment).geturl()


@asynccontextmanager
async def opened_running(found: Running, scene: Scene) -> AsyncIterator[Subject]:
    """The app, started where that was asked for, and carried; both end with the context."""
    options = scene.request.options
    async with AsyncExitStack() as stack:
        if found.start:
            scene.say(f"starting `{found.start}`")
            assert found.root is not None
            log = scene.folder / SERVER_LOG
            # The user's own command in the user's own environment: as if it were typed in a terminal.
            await stack.enter_async_context(
                start_server(found.start, cwd=found.root, env=dict(os.environ), url=found.url, log=log)
            )
        first = await (_once_ready(found.url) if found.start else first_answer(found.url))
        wall = Wall(origin_of(found.url), options.allow_host, open=options.network == "open")
        proxy = stack.enter_context(
            TransitProxy(
                found.url,
                allows=wall.allows,
                sources=_sources(found.root),
                known=scene.known,
                v8=KnownScripts({}) if options.coverage == "v8" else None,
            )
        )
        ahead = await proxy.call(look_ahead(proxy.transit, found.url))
        if found.whole and not len(proxy.transit.probes().probes) and not proxy.transit.istanbul:
            scene.say("none of its own code reaches the browser, so the libraries that do are counted")
            proxy.transit.count_libraries()
            ahead = await proxy.call(look_ahead(proxy.transit, found.url))
        build = _build(found, first)
        scene.say(f"{build.kind} app at {found.url}: {build.reason}")
        scene.say(str(ahead))
        subject = Subject(
            carried_bundle(build, proxy.transit, notes=(str(ahead),)),
            found.url,
            cdn=Cdn(PackageStore()) if options.network == "cdn" else None,
            carrier=proxy,
        )
        scene.say(f"{plural(len(subject.bundle.scripts), 'script')} measured: {subject.bundle.reason}")
        yield subject


def _sources(root: Path | None) -> SourceRoots:
    """The project's folder, and the others of its workspace, whose sources a dev server serves too."""
    if root is None:
        return SourceRoots()
    return SourceRoots(source_roots(root))


def _build(found: Running, first: Answered) -> Build:
    signs = [(kind, words) for kind, pattern, words in _SIGNS if pattern.search(first.body)]
    kind: BuildKind = signs[0][0] if signs else "server"
    started = f"`{found.start}` was started, and " if found.start else ""
    told = f"; {signs[0][1]}" if signs else ""
    path = urlsplit(found.url).path.removeprefix("/")
    entry = f"{path}index.html" if not path or path.endswith("/") else path
    return Build(
        kind,
        found.root or Path(),
        entry,
        f"{started}it answers there, so its scripts are instrumented on their way to the browser{told}",
        tuple(words for _, words in signs),
        (entry,),
        sources=found.root,
    )


def carried_bundle(build: Build, transit: Transit, *, notes: tuple[str, ...] = ()) -> Bundle:
    """What a carrier has counted so far, as the bundle of the app."""
    tally, probes = transit.tally(), transit.probes()
    counted = bool(len(probes.probes)) or transit.istanbul
    told = (
        [
            FailedScript(
                "library code",
                f"{plural(tally.libraries, 'script')} of libraries and of the server's tools "
                "passed as they are: not measured",
            )
        ]
        if tally.libraries
        else []
    )
    return Bundle(
        build=build,
        overlay=transit.bodies,
        probes=probes,
        mode=("istanbul" if transit.v8 is None else "v8") if counted else "none",
        reason=_reason(transit, counted=counted),
        scripts=tally.scripts,
        failed=tally.failed,
        unmeasured=(*tally.unmeasured, *told),
        notes=(*notes, *sorted(tally.notes)),
        istanbul_globals=transit.istanbul,
        units=tuple(transit.units),
    )


def _reason(transit: Transit, *, counted: bool) -> str:
    if transit.istanbul:
        return "the app arrives with Istanbul's counters in it and is used as it is"
    if not counted:
        return "nothing that was fetched so far is code of the app"
    if transit.libraries:
        return STANDS_IN
    if transit.v8 is not None:
        return "the browser's own coverage was asked for; what was fetched is what is counted"
    return (
        "counters were put into the scripts on their way to the browser; what was fetched is what is counted"
    )


async def _once_ready(url: str) -> Answered:
    """The first page of a server that was just started: it may answer with errors while it is still compiling."""
    for _ in range(_READY_TRIES):
        try:
            return await first_answer(url)
        except AppError:
            await asyncio.sleep(_READY_PAUSE_S)
    return await first_answer(url)


async def first_answer(url: str) -> Answered:
    """The app's first page, redirects within its origin followed. Raises AppError where it cannot be explored."""
    at = url
    for _ in range(_REDIRECTS):
        answered = await _asked(at)
        location = header(answered.headers, "location")
        if not (300 <= answered.status < 400 and location):
            return _good(answered, url)
        at = urljoin(at, location)
        if origin_of(at) != origin_of(url):
            raise AppError(
                f"{url} leads to {origin_of(at)}, which is another host: name {at} itself to explore that."
            )
    raise AppError(f"{url} leads from one address to the next without an end: name the page itself.")


async def _asked(url: str) -> Answered:
    try:
        return await fetched(url, accept="text/html,application/xhtml+xml,*/*;q=0.8")
    except SSLCertVerificationError as error:
        raise AppError(
            f"The certificate of {url} is not trusted here ({error.verify_message}): let this machine trust it, "
            "or serve the app by http."
        ) from error
    except SSLError as error:
        raise AppError(f"{url} does not speak https ({error.reason}): try http instead.") from error
    except BadMessage as error:
        raise AppError(f"What answers at {url} speaks no http ({error}): check the address.") from error
    except OSError as error:
        raise AppError(
            f"Nothing answers at {url} ({_why(error)}): start the app first, or let --start do it."
        ) from error


def _why(error: OSError) -> str:
    """The system's own words, without asyncio's."""
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno).lower()
    refused = f"Errno {errno.ECONNREFUSED}" in str(error)  # by each address of a name
    return os.strerror(errno.ECONNREFUSED).lower() if refused else str(error.strerror or error)


def _good(answered: Answered, url: str) -> Answered:
    if answered.status in (401, 407):
        raise AppError(f"{url} asks for a password ({answered.status}): let the app be reached without one.")
    if answered.status >= 400:
        raise AppError(
            f"{url} answers with status {answered.status}: check that the app runs without errors, and the address."
        )
    if why := _no_page(answered):
        raise AppError(f"{url} {why}: name the address at which the app opens in a browser.")
    return answered


_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml"))


def _no_page(answered: Answered) -> str:
    """Why a browser would show no page of it, in words; "" for a page."""
    if answered.status != _OK:
        return f"answers with status {answered.status} and no page"
    if header(answered.headers, "content-disposition").lower().startswith("attachment"):
        return "answers with a download and no page"
    kind = answered.content_type.partition(";")[0].strip().lower()
    if kind in _PAGE_TYPES or (not kind and b"<" in answered.body):  # of no type: browsers look into it
        return ""
    return f"answers with {kind or 'nothing that is html'} and no page"


def learned(subject: Subject) -> Bundle:
    """The bundle as it stands now: what was fetched since is in it."""
    if subject.carrier is None:
        return subject.bundle
    now = carried_bundle(subject.bundle.build, subject.carrier.transit)
    return replace(now, notes=tuple(dict.fromkeys((*subject.bundle.notes, *now.notes))))
