"""What a build process gets to see of the caller's environment: an allow-list, never a secret by name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = re.compile(
    r"PATH|LANG|LANGUAGE|LC_\w+|TERM|COLUMNS|TZ|TMPDIR|TEMP|TMP"
    r"|(?:HTTPS?|ALL|NO)_PROXY"
    r"|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|NODE_USE_SYSTEM_CA|NODE_USE_ENV_PROXY"
    r"|NPM_CONFIG_(?:REGISTRY|CAFILE|CA|PROXY|HTTPS_PROXY|NOPROXY|STRICT_SSL|PREFER_OFFLINE|OFFLINE)"
    r"|YARN_(?:NPM_REGISTRY_SERVER|HTTPS?_PROXY|HTTPS_CA_FILE_PATH|ENABLE_STRICT_SSL)|PLAYWRIGHT_BROWSERS_PATH"
    r"|SYSTEMROOT|COMSPEC|PATHEXT|WINDIR|NUMBER_OF_PROCESSORS|PROGRAMFILES.*",
    re.IGNORECASE,
)
"""Names that pass: how to find programs, speak the user's language and reach the package registry."""

_PUBLIC = re.compile(
    r"(?:VITE|REACT_APP|NEXT_PUBLIC|PUBLIC|NUXT_PUBLIC|GATSBY|STORYBOOK)_\w+|BASE_URL|PUBLIC_URL"
)
"""Names that the tools themselves write into the built scripts for everybody to read."""

_SECRET = re.compile(r"TOKEN|SECRET|PASSW|AUTH|CREDENTIAL|PRIVATE|API_?KEY", re.IGNORECASE)
"""What must not be in a name, whatever the lists say."""

_NODE_OPTIONS = re.compile(r"--(?:max-old-space-size=\d+|openssl-legacy-provider|stack-size=\d+)")

_FIXED = {
    "CI": "true",
    "NO_COLOR": "1",
    "FORCE_COLOR": "0",
    "BROWSER": "none",
    "HUSKY": "0",
    "ADBLOCK": "1",
    "DO_NOT_TRACK": "1",
    "NEXT_TELEMETRY_DISABLED": "1",
    "ASTRO_TELEMETRY_DISABLED": "1",
    "NUXT_TELEMETRY_DISABLED": "1",
    "GATSBY_TELEMETRY_DISABLED": "1",
    "TURBO_TELEMETRY_DISABLED": "1",
    "NG_CLI_ANALYTICS": "false",
    "YARN_ENABLE_TELEMETRY": "0",
    "DISABLE_OPENCOLLECTIVE": "1",
    "NX_DAEMON": "false",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
    "PUPPETEER_SKIP_DOWNLOAD": "1",
    "CYPRESS_INSTALL_BINARY": "0",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
}
"""As on a build server: nothing asks, nothing is reported home, no background process stays."""

_HOME_NAMES = ("HOME", "USERPROFILE")


def build_environment(
    *,
    home: Path,
    tools: Path | None = None,
    caches: Path | None = None,
    environ: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment of a build or server process.

    `home`: what it sees as HOME, inside the work copy's own folder. `tools`: folder that comes first on PATH.
    `caches`: where package managers keep what they downloaded. `environ`: the caller's, by default this
    process's. `more` is added last, as it is.
    """
    given = dict(os.environ if environ is None else environ)
    env = {name: value for name, value in given.items() if _passes(name)}
    options = _NODE_OPTIONS.findall(given.get("NODE_OPTIONS", ""))
    if options:
        env["NODE_OPTIONS"] = " ".join(options)
    env |= _FIXED | dict.fromkeys(_HOME_NAMES, str(home))
    env |= {"XDG_CACHE_HOME": str(home / ".cache"), "XDG_CONFIG_HOME": str(home / ".config")}
    env |= {"XDG_DATA_HOME": str(home / ".local" / "share"), "APPDATA": str(home), "LOCALAPPDATA": str(home)}
    if caches is not None:
        env |= _cache_settings(given, caches)
    if tools is not None:
        env["PATH"] = os.pathsep.join([str(tools), env.get("PATH", os.defpath)])
    return {**env, **(more or {})}


def _passes(name: str) -> bool:
    allowed = _ALLOWED.fullmatch(name) or _PUBLIC.fullmatch(name)
    return bool(allowed) and not _SECRET.search(name)


def _cache_settings(given: Mapping[str, str], caches: Path) -> dict[str, str]:
    """Downloads are shared among projects; npm's own cache is used where the user has one."""
    npm = given.get("npm_config_cache") or given.get("NPM_CONFIG_CACHE")
    usual = Path(given.get("HOME") or given.get("USERPROFILE") or caches) / ".npm"
    return {
        "npm_config_cache": npm or str(usual if usual.is_dir() else caches / "npm"),
        "YARN_CACHE_FOLDER": str(caches / "yarn"),
        "YARN_GLOBAL_FOLDER": str(caches / "yarn-berry"),
        "BUN_INSTALL_CACHE_DIR": str(caches / "bun"),
        "COREPACK_HOME": str(caches / "corepack"),
    }


def registry_settings(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Where package managers find the user's own settings of the registry: needed to install, never to build."""
    given = os.environ if environ is None else environ
    home = Path(given.get("HOME") or given.get("USERPROFILE") or "~").expanduser()
    named = given.get("npm_config_userconfig") or given.get("NPM_CONFIG_USERCONFIG")
    file = Path(named) if named else home / ".npmrc"
    return {"npm_config_userconfig": str(file)} if file.is_file() else {}
