"""Finds ids that are not ASCII slugs.

Ids name files, variables and lines of evidence: two that look alike (a Cyrillic letter, another
normal form, another case) must not be two. So an id has a-z, 0-9, '_' and '-', begins with a
letter, and is at most 64 characters long.

Bad:
```yaml
forge: 1
work_items:
  Lint:
# ^^^^
    run: [ruff, check]
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

import re
from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.forms import FORMS, ID
from forge_cli.manifest.naming import shown
from forge_cli.manifest.subject import Subject

_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST = 64


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each id, with the character at fault."""
    for error in subject.errors("id-not-slug"):
        name = str(error.value)
        yield Finding(
            "id-not-slug",
            Spot(error.path, error.part),
            f"'{shown(name)}' is no id: {_why(name)}",
            _hint(name),
        )


def _why(name: str) -> str:
    if not name:
        return "it is empty"
    foreign = next((character for character in name if character not in _ALLOWED), None)
    if foreign is not None:
        return f"it holds {_character(foreign)}"
    if len(name) > _LONGEST:
        return f"it has {len(name)} characters, at most {_LONGEST} are allowed"
    return f"it begins with '{name[0]}', not with a letter"


def _character(character: str) -> str:
    from unicodedata import name

    code = f"U+{ord(character):04X}"
    called = name(character, "")
    shown = f"'{character}' ({code}" if character.isascii() else f"{code} ("
    return f"{shown}{' ' if character.isascii() and called else ''}{called})"


def _hint(name: str) -> str:
    slug = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")
    if name.isascii() and re.search(ID, slug):
        return f"write  {slug}"
    return f"an id has {FORMS[ID].grammar}"
