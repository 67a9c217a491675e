"""Finds items that do not say which tool of their MCP server they call.

A turn of such a handler is one call of one tool: the one that the item's capabilities stand for.

Bad:
```yaml
forge: 1
roles:
  reader:
    capabilities: [read]
    handler:
      kind: mcp
      server: {argv: [pages-mcp]}
      tools: [{tool: show, capability: read}, {tool: list, capability: read}]
work_items:
  find: {role: reader}
# ^^^^
```

Good:
```yaml
forge: 1
capabilities: {show: [file-read], list: [file-read]}
roles:
  reader:
    capabilities: [show, list]
    handler:
      kind: mcp
      server: {argv: [pages-mcp]}
      tools: [{tool: show, capability: show}, {tool: list, capability: list}]
work_items:
  find: {role: reader, capabilities: [list]}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.tools import allows, tools
from forge_cli.manifest.subject import Subject

RULE = "unclear-call"


def check(subject: Subject) -> Iterator[Finding]:
    """Count the tools that each item of such a handler grants."""
    topology = subject.topology
    for node in topology.nodes.values():
        role = node.agent
        if role is None or node.children or section(role.written, "handler").get("kind") != "mcp":
            continue
        usable = [tool for tool in tools(role) if allows(topology.vocabulary, tool)]
        granted = [tool.name for tool in usable if tool.capability in node.capabilities]
        held = any(tool.capability in role.capabilities for tool in usable)
        if len(granted) > 1 or (held and not granted):
            many = f"{len(granted)} tools: {', '.join(granted)}" if granted else "no tool"
            yield Finding(
                RULE,
                Spot(node.path, "key"),
                f"item '{node.item_id}' grants {many}, and one call of one is made",
                "give each tool a capability of its own, and the item that of the one to call",
            )
