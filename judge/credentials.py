"""Whether there is a key for a model, found out before the first call; the key itself is neither kept nor shown.

The order is the anthropic SDK's own: API key, token, profile, workload identity; see its credential chain.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
BASE_URL = "EXPLORER_BASE_URL"
"""Environment variable with another address of the Messages API; --base-url comes first."""
_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


def find_credentials(environ: Mapping[str, str]) -> str:
    """Where the SDK will find credentials, in words ("ANTHROPIC_API_KEY", "the profile work"); "" where it will not."""
    for name in KEYS:
        if environ.get(name):
            return name
    if profile := environ.get("ANTHROPIC_PROFILE"):
        return f"the profile {profile}"
    rule, organization = environ.get("ANTHROPIC_FEDERATION_RULE_ID"), environ.get("ANTHROPIC_ORGANIZATION_ID")
    tokens = (environ.get(name) for name in ("ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE"))
    if rule and organization and any(tokens):
        return "workload identity"
    profile = _active_profile(folder := _config_dir(environ))
    return f"the profile {profile}" if (folder / "configs" / f"{profile}.json").is_file() else ""


def base_url_of(given: str, environ: Mapping[str, str]) -> str:
    """Address of the Messages API that was asked for; "" leaves it to the SDK (ANTHROPIC_BASE_URL, its default)."""
    return given or environ.get(BASE_URL, "")


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine: a server there is asked without a key."""
    return base_url.lower().startswith(_LOOPBACK)


def _config_dir(environ: Mapping[str, str]) -> Path:
    if configured := environ.get("ANTHROPIC_CONFIG_DIR"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(environ.get("APPDATA", str(Path.home() / "AppData" / "Roaming"))) / "Anthropic"
    return Path(environ.get("HOME", str(Path.home()))) / ".config" / "anthropic"


def _active_profile(folder: Path) -> str:
    try:
        return (folder / "active_config").read_text(encoding="utf-8").strip() or "default"
    except OSError:
        return "default"
