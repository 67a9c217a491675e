"""The model of an agent: who serves it, with which key, and what a call of it costs."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple, Protocol

from genai_prices import Usage, calc_price
from pydantic_ai.models import Model
from pydantic_ai.usage import RequestUsage

from forge_cli.handlers.agent_settings import ModelError, named
from forge_cli.multiagent.plan import Json

NO_KEY = "none"
"""What is sent as the key to a server for which no secret is named."""

CONNECTING = 30.0
"""Seconds to reach a server; for the answer the turn's own time holds."""

_ADDRESSES = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""Given always, so that no variable of the environment leads elsewhere."""


class Closing(Protocol):
    """What holds connections."""

    async def close(self) -> None:
        """Close them."""
        ...


class Opened(NamedTuple):
    """A model that can be asked, and what to close afterwards."""

    model: Model
    client: Closing | None = None


def open_model(config: Mapping[str, Json], environment: Mapping[str, str]) -> Opened:
    """The configured model; nothing is sent yet. `ModelError` if it or its key is not there.

    Its client tries nothing again: each try is paid, and forge counts.
    """
    provider, name = named(config)
    key = _key(config, environment)
    if provider == "anthropic":
        return _anthropic(name, key)
    return _openai(name, config.get("base_url", _ADDRESSES["openai"]), key, provider)


def _key(config: Mapping[str, Json], environment: Mapping[str, str]) -> str:
    name = config.get("api_key")
    if name is None:
        return NO_KEY
    if not environment.get(name):
        raise ModelError(f"secret {name!r} is not set; export it and run again")
    return environment[name]


def _openai(name: str, address: str, key: str, provider: str) -> Opened:
    import openai
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    timeout = openai.Timeout(None, connect=CONNECTING)
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=address,
        organization="",
        project="",
        max_retries=0,
        timeout=timeout,
    )
    if provider:
        return Opened(OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client)), client)
    server = OpenAICompatibleProvider("server", openai_client=client)
    return Opened(OpenAIChatModel(name, provider=server), client)


def _anthropic(name: str, key: str) -> Opened:
    import anthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    timeout = anthropic.Timeout(None, connect=CONNECTING)
    client = anthropic.AsyncAnthropic(
        api_key=key, base_url=_ADDRESSES["anthropic"], max_retries=0, timeout=timeout
    )
    return Opened(AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client)), client)


class Prices:
    """What calls of the configured model cost, in micro-dollars, always rounded up.

    From the manifest's `prices`, else from the list of genai-prices.
    """

    def __init__(self, config: Mapping[str, Json]) -> None:
        self._config = config
        self._stated: Mapping[str, Json] | None = config.get("prices")

    def cost(self, usage: RequestUsage) -> int | None:
        """What a call with that usage costs; None if nobody knows."""
        if self._stated is not None:
            return self._of_tokens(usage.input_tokens, usage.output_tokens)
        return self._listed(Usage.from_raw(usage))

    def ceiling(self, read: int, written: int) -> int | None:
        """What a call that reads and writes so many tokens costs; None if nobody knows."""
        if self._stated is not None:
            return self._of_tokens(read, written)
        return self._listed(Usage(input_tokens=read, output_tokens=written))

    def _of_tokens(self, read: int, written: int) -> int:
        # A dollar for a million tokens is a micro-dollar for one.
        prices = self._stated or {}
        return math.ceil(
            Decimal(str(prices["input"])) * read + Decimal(str(prices["output"])) * written
        )

    def _listed(self, usage: Usage) -> int | None:
        provider, name = named(self._config)
        try:
            if provider:
                price = calc_price(usage, name, provider_id=provider)
            else:
                price = calc_price(usage, name, provider_api_url=self._config["base_url"])
        except LookupError:
            return None
        return math.ceil(price.total_price * 1_000_000)
