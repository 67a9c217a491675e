"""What the MCP servers of a plan need here: the library that speaks to them."""

from importlib.util import find_spec

from forge_cli.handlers.server_settings import servers
from forge_cli.multiagent.plan import Plan

PACKAGE = "mcp"
OLDEST = "2.3"


def lacking(plan: Plan) -> list[str]:
    """A sentence if the plan calls tools of servers and the library is not here, or too old."""
    return absent() if any(servers(role.handler.config) for role in plan.roles.values()) else []


def absent() -> list[str]:
    """A sentence if the library is not here, or too old: 1.x keeps its types elsewhere."""
    if find_spec(PACKAGE) is not None and find_spec("mcp_types") is not None:
        return []
    wanted = f"'{PACKAGE}>={OLDEST}'"
    return [f"tools of MCP servers need {wanted}, not installed here; type: pip install {wanted}"]
