"""Finds roles that may delegate to each other in a ring.

Work could be handed round until the depth is used up, each time a little further from whoever
answers for it, and nobody in the ring is really above anybody else.

Bad:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [coder]}
#                    ^^^^^
    handler: {kind: command, argv: [bin/lead]}
  coder:
    capabilities: []
    delegates: {to: [lead]}
    handler: {kind: command, argv: [bin/code]}
work_items:
  fix: {role: lead}
```

Good:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [coder]}
    handler: {kind: command, argv: [bin/lead]}
  coder:
    capabilities: []
    handler: {kind: command, argv: [bin/code]}
work_items:
  fix: {role: lead}
```
"""

from collections.abc import Iterator, Mapping

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "delegation-cycle"

_Edges = Mapping[str, Mapping[str, Path]]
"""For each role the roles that it delegates to, each with where that is written."""


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each ring of roles; a role that names itself is `self-delegation`."""
    edges = _edges(subject.topology)
    done: set[str] = set()
    for start in edges:
        ring = _ring(edges, start, done)
        if ring:
            pairs = list(zip(ring, (*ring[1:], ring[0]), strict=True))
            spots = [Spot(edges[a][b], note=f"'{a}' delegates to '{b}'") for a, b in pairs]
            yield Finding(
                RULE,
                spots[0],
                f"role '{ring[0]}' may delegate to itself: {' -> '.join((*ring, ring[0]))}",
                "take out one of these links",
                tuple(spots[1:]),
            )


def _edges(topology: Topology) -> _Edges:
    edges: dict[str, dict[str, Path]] = {role: {} for role in topology.roles}
    for role in topology.roles.values():
        for index, name in enumerate(role.delegates_to):
            other = topology.agent(name)
            if other is not None and other is not role:
                edges[role.role_id][other.role_id] = (*role.path, "delegates", "to", index)
    return edges


def _ring(edges: _Edges, start: str, done: set[str]) -> tuple[str, ...]:
    """The first ring that a walk from here comes upon; `done` are roles that lead to no new one."""
    trail: list[str] = []
    ways = [iter((start,))]
    while ways:
        role = next(ways[-1], None)
        if role is None:
            ways.pop()
            if trail:
                done.add(trail.pop())
        elif role in trail:
            done.update(trail)
            return tuple(trail[trail.index(role) :])
        elif role not in done:
            trail.append(role)
            ways.append(iter(edges[role]))
    return ()
