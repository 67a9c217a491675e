"""Where the MCP servers of a handler's configuration are, without the library that they need."""

from collections.abc import Mapping

from forge_cli.multiagent.terms import Json


def servers(config: Mapping[str, Json]) -> Mapping[str, Mapping[str, Json]]:
    """The `server` and `tools` of each, by name; that of a handler of kind `mcp` has none."""
    if "server" in config:
        return {"": config}
    found: Mapping[str, Mapping[str, Json]] = config.get("servers", {})
    return found
