"""Starts one browser process that keeps to itself, and ends it whatever state it is in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable
from typing import TypeVar

from playwright.async_api import Browser, BrowserContext, CDPSession, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from explorer.browser_network import Wall
from explorer.browser_options import BrowserOptions
from explorer.provision import Browser as Program
from instrument.errors import BrowserError

_T = TypeVar("_T")

_DISABLED_FEATURES = (
    # RenderDocument throws the old document's bindings away before its pagehide listeners have run: the
    # counters that are flushed there would be lost.
    "RenderDocument",
    # The app may ask its own loopback server, whatever address space Chromium thinks that it came from.
    "LocalNetworkAccessChecks",
    # Requests of the browser's own, and surfaces that come between the page and the engine. Playwright gives
    # a list of its own; Chromium takes the last list alone, so what matters of it stands here too.
    "AcceptCHFrame",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "Translate",
)
_FLAGS = (
    f"--disable-features={','.join(_DISABLED_FEATURES)}",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--no-pings",
    "--disable-site-isolation-trials",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--mute-audio",
    "--hide-scrollbars",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-device-scale-factor=1",
)
_PERMISSIONS = (
    "geolocation",
    "notifications",
    "clipboard-read",
    "clipboard-write",
    "midi",
    "camera",
    "microphone",
    "accelerometer",
    "gyroscope",
    "magnetometer",
    "ambient-light-sensor",
    "background-sync",
    "payment-handler",
    "storage-access",
)
QUIET_ERRORS = (PlaywrightError, TimeoutError, OSError)
"""What a browser that is going away may raise while it is being closed."""


async def within(seconds: float, work: Awaitable[_T]) -> _T | None:
    """The result of the work; None where it failed or took too long. For clean-up only."""
    with contextlib.suppress(*QUIET_ERRORS):
        return await asyncio.wait_for(work, seconds)
    return None


class Chromium:
    """One browser process and the driver that speaks to it."""

    def __init__(self, driver: Playwright, browser: Browser, *, pid: int, options: BrowserOptions) -> None:
        self._driver = driver
        self._browser = browser
        self._options = options
        self.pid = pid
        """Process id of the browser, 0 where it did not say."""
        self.lost = asyncio.Event()
        """Set when the process is gone or no longer answers."""
        browser.on("disconnected", lambda _: self.lost.set())

    @classmethod
    async def start(cls, program: Program, *, wall: Wall, options: BrowserOptions) -> Chromium:
        """A running browser with a profile of its own; BrowserError where it does not start."""
        try:
            driver = await async_playwright().start()
        except (
            Exception
        ) as error:  # Playwright raises a bare one when its driver goes away, as Ctrl-C makes it
            raise BrowserError(
                f"Playwright's driver did not start ({error}): run `explore-app doctor`."
            ) from error
        try:
            browser = await driver.chromium.launch(
                executable_path=str(program.executable),
                headless=not options.headed,
                chromium_sandbox=program.sandbox,
                args=[*_FLAGS, *wall.flags()],
                # The terminal's Ctrl-C is for the engine: a browser that went away in the middle of a step
                # would make the step accuse the app of it.
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=60_000,
            )
        except (PlaywrightError, OSError) as error:
            await within(options.recover_s, driver.stop())
            first = next((line for line in str(error).splitlines() if line.strip()), "no reason given")
            raise BrowserError(
                f"{program.executable} did not start ({first.strip()}): run `explore-app doctor`, "
                "or name another browser with --browser PATH."
            ) from error
        return cls(driver, browser, pid=await _pid(browser), options=options)

    async def new_context(self, *, origin: str) -> BrowserContext:
        """A fresh profile in which the app at `origin` may do what users usually allow."""
        options = self._options
        width, height = options.viewport
        context = await self._browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1,
            locale=options.locale,
            timezone_id=options.timezone,
            geolocation={"latitude": options.geolocation[0], "longitude": options.geolocation[1]},
            color_scheme="light",
            reduced_motion="no-preference",
            accept_downloads=True,
            has_touch=False,
            service_workers="allow",
        )
        await _grant(context, origin=origin)
        return context

    async def line(self) -> CDPSession:
        """A line of the DevTools protocol to the browser itself; the caller detaches it."""
        return await self._browser.new_browser_cdp_session()

    async def stop(self) -> None:
        """Ends browser and driver, by force where they do not answer; never raises."""
        if await within(self._options.recover_s, _closed(self._browser)) is None:
            self.kill()
        await within(self._options.recover_s, self._driver.stop())
        self.lost.set()

    def kill(self) -> None:
        """Ends the browser's process at once."""
        self.lost.set()
        if self.pid:
            with contextlib.suppress(OSError):
                os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


async def _closed(browser: Browser) -> bool:
    await browser.close()
    return True


async def _pid(browser: Browser) -> int:
    session = await browser.new_browser_cdp_session()
    answer = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    return next((int(item["id"]) for item in answer["processInfo"] if item["type"] == "browser"), 0)


async def _grant(context: BrowserContext, *, origin: str) -> None:
    """Grants all at once; a browser that does not know one of the names gets them one by one."""
    try:
        await context.grant_permissions(list(_PERMISSIONS), origin=origin)
    except PlaywrightError:
        for permission in _PERMISSIONS:
            with contextlib.suppress(PlaywrightError):
                await context.grant_permissions([permission], origin=origin)
