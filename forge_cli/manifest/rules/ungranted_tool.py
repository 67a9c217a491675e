"""Finds tools of MCP servers that nobody may call.

A tool is called by who holds its capability, if that word allows it: by an action, or by the tool's
name as `tool:<server>/<tool>`. A word that allows nothing, or other tools, grants none.

Bad:
```yaml
forge: 1
capabilities: {look: ["tool:logs/query"]}
roles:
  reader:
    capabilities: [look]
    handler:
      kind: mcp
      server: {argv: [logs-mcp]}
      tools:
        - {tool: query, capability: look}
        - {tool: drop, capability: look}
#                                  ^^^^
        - {tool: count, capability: read}
#                                   ^^^^
work_items:
  find: {role: reader}
```

Good:
```yaml
forge: 1
capabilities: {look: ["tool:logs/query"]}
roles:
  reader:
    capabilities: [look]
    handler:
      kind: mcp
      server: {argv: [logs-mcp]}
      tools: [{tool: query, capability: look}]
work_items:
  find: {role: reader}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.tools import allows, tools
from forge_cli.manifest.subject import Subject

RULE = "ungranted-tool"


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the capability of each tool that a role declares."""
    vocabulary = subject.topology.vocabulary
    for role in subject.topology.roles.values():
        for tool in tools(role):
            word, what = tool.capability, f"the tool '{tool.name}'"
            spot = Spot((*tool.path, "capability"))
            if word not in role.capabilities:
                message = f"role '{role.role_id}' does not hold '{word}', so {what} is never called"
                hint = f"add '{word}' to its  capabilities:  or leave the tool out"
                yield Finding(RULE, spot, message, hint)
            elif not allows(vocabulary, tool):
                server = tool.server or role.role_id
                hint = f'write  capabilities: {{{word}: ["tool:{server}/{tool.name}"]}}  at the top'
                yield Finding(RULE, spot, f"'{word}' does not allow {what}", hint)
