"""What can be said of agents without the packages that they need: their models and their limits."""

from collections.abc import Mapping
from typing import NamedTuple

from forge_cli.multiagent.terms import Json

PROVIDERS = ("openai", "anthropic")
"""Whose own services are known by name; every other one is reached by its `base_url`."""

READ = 200_000
"""Tokens that are set aside for what a model reads in one call."""

WRITTEN = 8_192
"""Tokens that a model may write in one call, where tokens or cost are limited."""

TOOL_CALLS = 32
"""Calls of tools that are answered in one turn, where they are limited."""


class ModelError(Exception):
    """There is no such model here; the text is a sentence."""


class Named(NamedTuple):
    """A model by its provider, empty for a server that is only known by its address, and name."""

    provider: str
    name: str


def named(config: Mapping[str, Json]) -> Named:
    """Who serves the configured model; `ModelError` for a provider that forge does not know."""
    model = config.get("model", "")
    if "base_url" in config:
        return Named("", model or "default")
    provider, _, name = model.partition(":")
    if provider not in PROVIDERS or not name:
        known = " or ".join(f"{provider}:<name>" for provider in PROVIDERS)
        raise ModelError(
            f"the model {model!r} is none of {known}; where another service speaks OpenAI's"
            " protocol, give its address:  base_url: https://..."
        )
    return Named(provider, name)
