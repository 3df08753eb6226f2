"""The wall around the browser: it reaches the app's origin and what was allowed, and nothing else.

Two layers, neither of which costs the app's own requests a round trip. Chromium resolves no other name
(and no other address: literals pass the same rules), whatever asks: fetch, beacon, WebSocket, worker or
prefetch. And documents alone are paused on their way, so that a link that leads outside is answered 204
and the page stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_LOCAL = frozenset(("about", "blob", "data", "javascript", "chrome-error", "filesystem"))


def origin_of(url: str) -> str:
    """scheme://host:port of a URL, "" where it has none; ws counts as http, a default port is left out."""
    parts = urlsplit(url)
    if not parts.hostname or parts.scheme not in _PORTS:
        return ""
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = "" if _port(url) == _PORTS[parts.scheme] else f":{_port(url)}"
    return f"{scheme}://{host}{port}"


def _port(url: str) -> int:
    parts = urlsplit(url)
    try:
        return parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class Wall:
    """What may be reached from an app."""

    origin: str
    """The app's own: scheme://host:port."""
    allow_hosts: tuple[str, ...] = ()
    open: bool = False
    proxy: str = ""
    """host:port of the proxy that http goes through, which has this wall too; all else goes its own way."""

    def allows(self, url: str) -> bool:
        """Whether a request to this URL may leave; what never leaves the browser is allowed."""
        if self.open or urlsplit(url).scheme in _LOCAL or origin_of(url) == self.origin:
            return True
        return self._named(url)

    def may_show(self, url: str) -> bool:
        """Whether the page may go there: to the app and to hosts that were named, however open the network is."""
        return self.inside(url) or self._named(url)

    def _named(self, url: str) -> bool:
        host = urlsplit(url).hostname or ""
        return bool(host) and any(fnmatchcase(host, pattern.lower()) for pattern in self.allow_hosts)

    def inside(self, url: str) -> bool:
        """Whether the URL is one of the app's own pages."""
        return url.removeprefix("blob:").startswith(self.origin + "/") or url == self.origin

    def flags(self) -> list[str]:
        """Chromium's command line flags that build the outer layer."""
        # The app is on the loopback, which browsers would not ask a proxy for.
        carried = [f"--proxy-server=http={self.proxy}", "--proxy-bypass-list=<-loopback>"]
        if self.open:
            return carried if self.proxy else []
        host = urlsplit(self.origin).hostname or ""
        own = f"[{host}]" if ":" in host else host
        place = f"{own}:{_port(self.origin)}"
        rules = [f"EXCLUDE {pattern}" for pattern in self.allow_hosts]
        rules += [f"MAP {name} {name}" for name in (place, self.proxy) if name]
        rules.append("MAP * ~NOTFOUND")
        return [
            f"--host-resolver-rules={', '.join(rules)}",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            *(carried if self.proxy else ["--no-proxy-server"]),
        ]

    def relative(self, text: str) -> str:
        """Text without the app's origin, so that runs on other ports compare."""
        return text.replace(self.origin, "") if self.origin in text else text

    def path(self, url: str) -> str:
        """A URL as records have it: path, query and fragment; other origins stay whole."""
        if self.inside(url):
            return url.removeprefix(self.origin) or "/"
        return url
