"""Where the MCP servers of a handler's configuration are, without the library that they need."""

from collections.abc import Iterator, Mapping

from forge_cli.multiagent.terms import Json


def servers(config: Mapping[str, Json]) -> Mapping[str, Mapping[str, Json]]:
    """The `server` and `tools` of each, by name; that of a handler of kind `mcp` has none."""
    if "server" in config:
        return {"": config}
    found: Mapping[str, Mapping[str, Json]] = config.get("servers", {})
    return found


def started(config: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The settings of those that are programs."""
    return (each["server"] for each in servers(config).values() if "argv" in each["server"])


def absolute(config: Mapping[str, Json]) -> Iterator[str]:
    """The absolute paths among their arguments; what is filled in later is data."""
    arguments = (token for server in started(config) for token in server["argv"])
    return (token for token in arguments if token.startswith("/") and "${" not in token)
