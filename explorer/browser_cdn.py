"""Answers the browser's requests to CDNs in their place, before they would reach the wall or the network."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import BrowserContext, Route
from playwright.async_api import Error as PlaywrightError

from explorer.browser_ear import Ear
from explorer.browser_network import Wall
from explorer.cdn_answers import Cdn, Reply

_HEADERS = {
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "timing-allow-origin": "*",
    "cache-control": "public, max-age=31536000",
}


async def serve_cdn(context: BrowserContext, cdn: Cdn, *, wall: Wall, ear: Ear) -> None:
    """Pauses what goes to other hosts; what no CDN answers goes on, to where the wall lets it.

    Requests of the app to itself match no route. What the app needed and did not get is told to `ear`.
    """

    async def answer(route: Route) -> None:
        request = route.request
        document = request.is_navigation_request()
        reply = None
        if not document and not wall.allows(request.url):
            reply = await cdn.asked(request.url, request.resource_type)
        if reply is None:
            await route.continue_()
            return
        ear.stood_in.add(request.url)
        if reply.reason and reply.needed:
            ear.blocked(request.method, request.url, request.resource_type, reason=reply.reason)
        await _fulfill(route, reply)

    async def guarded(route: Route) -> None:
        try:
            await answer(route)
        except (PlaywrightError, asyncio.CancelledError):
            return  # the page went away while its library was being fetched

    own = re.escape(wall.origin)
    await context.route(re.compile(rf"^https?://(?!{own.partition('//')[2]}(?:/|$))"), guarded)


async def _fulfill(route: Route, reply: Reply) -> None:
    text = reply.kind.startswith("text/") or reply.kind.endswith(("json", "javascript", "svg+xml"))
    kind = f"{reply.kind}; charset=utf-8" if text else reply.kind
    await route.fulfill(status=reply.status, headers={**_HEADERS, "content-type": kind}, body=reply.body)
