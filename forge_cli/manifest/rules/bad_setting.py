"""Finds settings that a plug-in's handler does not take.

Beside the keys that mean the same for every handler (`env`, `grace`, `max_usage`, `sandbox`,
`secrets`), all keys are the plug-in's settings. They are held against the JSON Schema that it
declares, if it declares one; what a `${...}` in them stands for is known only in the run.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: acme-shell, shell: zsh, shel: bash}
#                                      ^^^
#                                           ^^^^
work_items:
  review: {role: reviewer}
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: acme-shell, shell: bash, grace: 10s}
work_items:
  review: {role: reviewer}
```
```ini acme-1.0.dist-info/entry_points.txt
[forge.handlers]
acme-shell = acme_shell_1:Shell
```
```python acme_shell_1.py
from forge_cli.multiagent.turn import Turn, TurnResult


class Shell:
    settings = {
        "type": "object",
        "properties": {"shell": {"enum": ["bash", "sh"]}},
        "additionalProperties": False,
    }

    async def run(self, turn: Turn) -> TurnResult:
        return TurnResult.done({"result": turn.handler["settings"]["shell"]})
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "bad-setting"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each place at which the plug-in's schema does not hold."""
    for error in subject.errors(RULE):
        known = ", ".join(error.known)
        meant = suggest(str(error.path[-1]), error.known) if error.part == "key" else None
        yield Finding(
            RULE,
            Spot(error.path, error.part, f"did you mean '{meant.word}'?" if meant else ""),
            f"{describe(error.path)}: {error.reason}",
            f"the plug-in, {error.key}, knows: {known}" if known else f"so says {error.key}",
        )
