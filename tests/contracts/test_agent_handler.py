"""The handler kind `agent` keeps the contract of handlers, with a model that is served here."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from forge_cli.testing import HandlerContract, Sample
from tests.handlers.model_server import ModelServer, Reply, serving, text


class TestAgent(HandlerContract):
    kind = "agent"
    server: ModelServer

    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        for_ever = threading.Event()
        replies: dict[str, Reply] = {"works": text("fine"), "fails": 500, "lasts": for_ever}

        def reply(body: dict[str, Any]) -> Reply:
            return replies[body["model"]]

        with serving(reply) as self.server:
            yield
            for_ever.set()

    def sample(self, model: str) -> Sample:
        handler = {"model": model, "base_url": self.server.url}
        return Sample(handler, output={"result": "fine"})

    def works(self) -> Sample:
        return self.sample("works")

    def fails(self) -> Sample:
        return self.sample("fails")

    def lasts(self) -> Sample:
        return self.sample("lasts")
