"""Finds names that lead to nothing in the manifest.

A name that leads nowhere would be ignored, or be null when it counts. Items, outputs, inputs,
roles, contracts, schemas, context packages, state keys, secrets, variables, channels and
capability words are looked up.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
  check:
    run: [make, check]
    capabilities: []
    depends_on: [biuld]
#                ^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
  check:
    run: [make, check]
    capabilities: []
    depends_on: [build]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.lookups import Lookup, lookups
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "unknown-reference"
MOST_SHOWN = 8
"""Known names that a hint lists."""
MOST_SUGGESTED = 20
"""Findings of one manifest that come with a suggestion: each compares with all known names."""


def check(subject: Subject) -> Iterator[Finding]:
    """Look every name up; one that is looked up twice at one place is told once."""
    told: set[tuple[Path, str | None]] = set()
    for lookup in lookups(subject.topology):
        place = (lookup.path, lookup.token)
        if lookup.name not in lookup.known and place not in told:
            told.add(place)
            yield _finding(lookup, len(told) <= MOST_SUGGESTED)


def _finding(lookup: Lookup, suggesting: bool) -> Finding:
    known = tuple(lookup.known)
    suggestion = suggest(lookup.name, known) if suggesting else None
    note = f"did you mean '{suggestion.word}'?" if suggestion else ""
    return Finding(
        RULE,
        Spot(lookup.path, note=note, token=lookup.token),
        f"there is no {lookup.noun} '{lookup.name}'{lookup.where}",
        _hint(lookup, known, suggestion.word if suggestion else ""),
    )


def _hint(lookup: Lookup, known: tuple[str, ...], meant: str) -> str:
    hint = lookup.hint or _known(lookup.noun, known)
    return f"write  {meant}\nor {hint}" if meant and lookup.is_way_out else hint


def _known(noun: str, known: tuple[str, ...]) -> str:
    if not known:
        return f"there is no {noun} at all"
    shown = ", ".join(f"'{name}'" for name in known[:MOST_SHOWN])
    more = f" and {len(known) - MOST_SHOWN} more" if len(known) > MOST_SHOWN else ""
    return f"known: {shown}{more}"
