"""The browser reaches the app and nothing else, and says what was kept in."""

from __future__ import annotations

import asyncio
import socket
from typing import Literal

import pytest

from tests.browser.conftest import AppsServer, Browse, Visitor

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("target", "url", "resource", "said"),
    [
        ("#link", "http://elsewhere.example/page", "document", "here"),
        ("#post", "http://elsewhere.example/form", "document", "here"),
        ("#fetch", "http://elsewhere.example/api", "fetch", "refused"),
        ("#address", "http://93.184.216.34/api", "fetch", "refused"),
        ("#socket", "ws://elsewhere.example/socket", "websocket", "no socket"),
        ("#beacon", "http://elsewhere.example/beacon", "ping", "sent"),
    ],
)
def test_other_hosts_are_out_of_reach(
    browse: Browse, target: str, url: str, resource: str, said: str
) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", target)
        assert seen.snapshot.url == "/outside/"
        assert await page.log() == said
        assert [(item.url, item.resource) for item in seen.requests if item.blocked] == [(url, resource)]

    browse("outside/", work)


def test_a_link_that_starts_a_mail_leaves_the_page_alone(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#mail")
        assert (seen.snapshot.url, seen.liveness, seen.requests) == ("/outside/", "alive", ())

    browse("outside/", work)


def test_links_that_lead_outside_do_so_in_no_mode(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("click", "#link")).snapshot.url == "/outside/"

    browse("outside/", work, network="open")


def test_another_port_of_the_same_machine_is_another_host(browse: Browse) -> None:
    other = AppsServer()
    port = other.server_address[1]

    async def work(page: Visitor) -> None:
        await page.do("click", "#port")
        assert await page.log() == "refused"

    async def allowed(page: Visitor) -> None:
        seen = await page.do("click", "#port")
        assert await page.log() == "answered"
        assert seen.requests == ()

    try:
        browse(f"outside/#{port}", work)
        browse(f"outside/#{port}", allowed, allow_hosts=("127.0.0.1",))
        browse(f"outside/#{port}", allowed, network="open")
    finally:
        other.stop()


@pytest.mark.parametrize(
    ("target", "url"),
    [("#foreign", "http://elsewhere.example/ad"), ("#tab", "http://elsewhere.example/tab")],
)
def test_tabs_of_other_hosts_are_closed_and_listed(browse: Browse, target: str, url: str) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", target)
        assert seen.popups == (url,)
        assert [item.url for item in seen.requests if item.blocked] == [url]
        visit = page.page._visit
        assert visit is not None
        assert len(visit.context.pages) == 1

    browse("popups/", work)


@pytest.mark.parametrize("network", ["app", "open"])
def test_peer_connections_reach_nobody(browse: Browse, network: Literal["app", "open"]) -> None:
    """WebRTC goes around requests: neither its UDP nor its TCP may leave, nor an address of this machine be told."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.create_server(("127.0.0.1", 0)) as tcp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.setblocking(False)
        tcp.setblocking(False)

        async def work(page: Visitor) -> None:
            await page.do("click", "#gather")
            while network == "open" and not _heard(udp):
                await asyncio.sleep(0.05)
            while network == "app" and not await page.log():
                await asyncio.sleep(0.05)
            assert network == "open" or await page.log() == "gathered: "

        browse(f"peer/#127.0.0.1:{port}", work, network=network)
        if network == "app":
            assert not _heard(udp)
            with pytest.raises(BlockingIOError):
                tcp.accept()


def _heard(udp: socket.socket) -> bool:
    try:
        return bool(udp.recv(2000))
    except BlockingIOError:
        return False
