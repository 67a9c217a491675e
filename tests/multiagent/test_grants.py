"""Which tools of MCP servers a capability's actions allow."""

import pytest

from forge_cli.multiagent.grants import allows_tool


@pytest.mark.parametrize(
    ("actions", "server", "allowed"),
    [
        ([], "logs", False),
        (["file-read"], "logs", True),
        (["tool:logs/query"], "logs", True),
        (["tool:pages/query"], "logs", False),
        (["tool:logs/drop", "network"], "logs", False),
        (["tool:logs/drop", "tool:pages/query"], "logs", False),
        (["tool:pages/query"], "", True),
        (["tool:pages/drop"], "", False),
    ],
)
def test_a_tool_is_allowed_by_its_server_and_name_or_by_what_it_does(
    actions: list[str], server: str, allowed: bool
) -> None:
    assert allows_tool(actions, "query", server) == allowed
