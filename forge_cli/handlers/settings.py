"""Which keys of a plug-in's handler are forge's own, and which are the plug-in's settings."""

from collections.abc import Mapping
from typing import Any

SHARED = ("env", "grace", "max_usage", "sandbox", "secrets")
"""Keys that mean the same for every kind, so no plug-in has settings so named."""


def parted(handler: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a manifest says of a plug-in's handler: forge's own keys, and the plug-in's settings."""
    own = {key: handler[key] for key in SHARED if key in handler}
    return own, {key: handler[key] for key in handler if key not in own and key != "kind"}
