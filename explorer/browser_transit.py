"""Scripts and pages of an https app get counters by Playwright's route: no proxy could read them on their way.

Requests that a service worker makes by itself match no route; what it keeps in its cache has no counters.
"""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import APIResponse, BrowserContext, Route
from playwright.async_api import Error as PlaywrightError

from explorer.browser_network import Wall
from explorer.proxy import TransitProxy
from explorer.site import COVERAGE_MAPS
from instrument.exchange import Answered, Asked

_DESTINATIONS = {"document": "document", "script": "script"}
"""Playwright's resource types that are looked at, as Sec-Fetch-Dest has them."""


async def carry_by_route(context: BrowserContext, carrier: TransitProxy, *, wall: Wall) -> None:
    """Hands answers to the app's documents and scripts to the instrumenter before the page gets them."""

    async def carried(route: Route) -> None:
        request = route.request
        destination = _DESTINATIONS.get(request.resource_type)
        if request.url == f"{wall.origin}/{COVERAGE_MAPS}":
            await route.fulfill(status=200, json=carrier.transit.coverage_maps())
            return
        if destination is None or request.method != "GET":
            await route.fallback()
            return
        # Redirects are the browser's business: it must know where it ends up.
        with carrier.traffic.flight(request.url, destination):
            response = await route.fetch(max_redirects=0, timeout=60_000)
            if changed := await _changed(response, Asked(request.url, destination), carrier):
                await route.fulfill(status=changed.status, headers=_fields(changed), body=changed.body)
            else:
                await route.fulfill(response=response)

    async def guarded(route: Route) -> None:
        try:
            await carried(route)
        except asyncio.CancelledError:
            raise
        except PlaywrightError:
            await _failed(route)

    await context.route(re.compile(rf"^{re.escape(wall.origin)}/"), guarded)


async def _failed(route: Route) -> None:
    """A server that does not answer is a failed request; a page that went away needs none."""
    try:
        await route.abort("connectionfailed")
    except PlaywrightError:
        return


async def _changed(response: APIResponse, asked: Asked, carrier: TransitProxy) -> Answered | None:
    """The answer with counters in it; None where it stays as it is."""
    headers = [(item["name"], item["value"]) for item in response.headers_array]
    kind = response.headers.get("content-type", "")
    role = carrier.transit.role(asked, response.status, kind)
    if not role:
        return None
    before = Answered(asked.url, response.status, headers, await response.body())
    after = await carrier.call(carrier.transit.change(role, before, asked))
    return after if after is not before else None


def _fields(answered: Answered) -> dict[str, str]:
    """Headers one a name, as Playwright takes them; policies add up with a comma, cookies with a line break."""
    found: dict[str, str] = {}
    for name, value in answered.headers:
        key = name.lower()
        if key in found:
            between = "\n" if key == "set-cookie" else ", "
            found[key] = f"{found[key]}{between}{value}"
        else:
            found[key] = value
    return found
