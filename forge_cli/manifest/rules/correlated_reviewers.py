"""Finds reviewers of the same item who share their model or their instructions.

What one of them does not see, the other will not see either: their agreement is worth less than
two votes.

Bad:
```yaml
forge: 1
roles:
  first:
    capabilities: [repository-read]
    model_family: claude
    handler: {kind: command, argv: [bin/first]}
  second:
    capabilities: [repository-read]
    model_family: claude
#                 ^^^^^^
    handler: {kind: command, argv: [bin/second]}
work_items:
  build: {run: [make], capabilities: []}
  one: {role: first, review: {of: [build], quorum: 1}}
  two: {role: second, review: {of: [build], quorum: 1}}
```

Good:
```yaml
forge: 1
roles:
  first:
    capabilities: [repository-read]
    model_family: claude
    handler: {kind: command, argv: [bin/first]}
  second:
    capabilities: [repository-read]
    model_family: gpt
    handler: {kind: command, argv: [bin/second]}
work_items:
  build: {run: [make], capabilities: []}
  one: {role: first, review: {of: [build], quorum: 1}}
  two: {role: second, review: {of: [build], quorum: 1}}
```
"""

from collections import defaultdict
from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.manifest.subject import Subject

RULE = "correlated-reviewers"
_SOURCES: tuple[tuple[Path, str], ...] = (
    (("model_family",), "model family"),
    (("handler", "model"), "model"),
    (("instructions",), "instructions"),
    (("handler", "instructions"), "instructions"),
    (("handler", "instructions_file"), "instructions"),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each role that shares something with an earlier reviewer of the same item."""
    reviewers: dict[str, dict[str, Agent]] = defaultdict(dict)
    for node in subject.topology.holding("review"):
        for reviewed in node.own["review"].get("of", ()):
            if node.agent is not None:
                reviewers[reviewed][node.agent.role_id] = node.agent
    told: set[tuple[str, str]] = set()
    for reviewed, roles in reviewers.items():
        agents = list(roles.values())
        for place, agent in enumerate(agents):
            for earlier in agents[:place]:
                found = _shared(earlier, agent)
                if found and (earlier.role_id, agent.role_id) not in told:
                    told.add((earlier.role_id, agent.role_id))
                    yield _finding(reviewed, earlier, agent, *found)
                    break


def _shared(one: Agent, other: Agent) -> tuple[Path, str, str] | None:
    for path, noun in _SOURCES:
        value = _value(one, path)
        if value is not None and value == _value(other, path):
            return path, noun, value
    return None


def _value(agent: Agent, path: Path) -> str | None:
    written = agent.written
    for step in path[:-1]:
        written = written.get(str(step), {})
    found = written.get(str(path[-1]))
    return found if isinstance(found, str) else None


def _finding(reviewed: str, one: Agent, other: Agent, path: Path, noun: str, value: str) -> Finding:
    shown = value if len(value) <= 40 else f"{value[:37]}..."
    return Finding(
        RULE,
        Spot((*other.path, *path), note="shared"),
        f"roles '{one.role_id}' and '{other.role_id}' review '{reviewed}' with the same {noun},"
        f" '{shown}'",
        "let one of them have another model and other instructions",
        (Spot((*one.path, *path), note="shared"),),
        severity="warning",
    )
