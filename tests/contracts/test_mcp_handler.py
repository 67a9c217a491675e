"""The contract of handlers, kept by tools of MCP servers."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forge_cli.multiagent.turn import Turn
from forge_cli.testing import HandlerContract, Sample

SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"


class TestMcp(HandlerContract):
    """A server that answers, one that does not do what it is asked, one that never answers."""

    kind = "mcp"

    def works(self) -> Sample:
        """The one tool."""
        return Sample(_server("fine"), output={"result": "look {}"})

    def fails(self) -> Sample:
        """A server that ends instead of answering."""
        return Sample(_server("dies"))

    def lasts(self) -> Sample:
        """A server that never answers."""
        return Sample(_server("silent"))

    def turn(self, sample: Sample) -> Turn:
        """The turn, with the capability that the tool takes."""
        turn = super().turn(sample)
        return replace(turn, grant=replace(turn.grant, capabilities=frozenset({"read"})))


def _server(behaviour: str) -> Mapping[str, Any]:
    tool = {"tool": "look", "capability": "read", "actions": ["file-read"], "scope_args": []}
    return {"server": {"argv": [sys.executable, str(SERVER), behaviour]}, "tools": [tool]}
