"""Finds keys that the language does not have at that place.

An unknown key is a wish that nobody hears: a misspelt `depends_on` orders nothing, a misspelt
`scope` narrows nothing. Words of other tools are recognised.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
  review:
    run: [make, check]
    capabilities: []
    needs: [build]
#   ^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
  review:
    run: [make, check]
    capabilities: []
    depends_on: [build]
```
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.foreign import ABSENT, WORDS
from forge_cli.manifest.naming import describe, flow, places, shown
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.language import Node, at, child, keys, owners, shapes, values
from forge_cli.manifest.shape.steps import items
from forge_cli.manifest.shape.typed import typed
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import Suggestion, nearest

_REFERENCE = re.compile(r"\$\{items\.([a-z0-9_-]+)\.")


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each unknown key, with the word that was probably meant."""
    yield from subject.faults("unknown-key")
    for error in subject.errors("unknown-key"):
        parent, key = error.path[:-1], str(error.path[-1])
        suggestion = error.suggestion
        if error.misplaced:
            yield _misplaced(error)
            continue
        if found := _as_items(error, subject.source.data):
            yield found
            continue
        yield Finding(
            "unknown-key",
            Spot(error.path, "key", _note(suggestion) if suggestion else _foreign(key)),
            f"unknown key '{shown(key)}' in {describe(parent)}",
            _hint(error, suggestion, subject.source.data),
        )


def _misplaced(error: StructureError) -> Finding:
    """An entry inside the one before it."""
    *above, key = error.path
    name = describe(tuple(above))
    return Finding(
        "unknown-key",
        Spot(error.path, "key", f"one level too deep: it stands in {name}"),
        f"unknown key '{shown(key)}' in {name}",
        f"if '{shown(key)}' is one of its own, begin it at the column of '{shown(above[-1])}'",
        (Spot(tuple(above), "key", "begins here"),),
    )


def _note(suggestion: Suggestion) -> str:
    if suggestion.whose:
        return f"{suggestion.whose} word; forge says '{suggestion.word}'"
    return f"did you mean '{suggestion.word}'?"


def _foreign(key: str) -> str:
    """Whose word it is, if forge has its own for it in another place, or none at all."""
    if key in ABSENT:
        whose, _ = ABSENT[key]
        return f"{whose} word" if whose else ""
    whose, meant = _meant_elsewhere(key)
    return f"{whose} word; forge says '{meant}'" if meant else ""


def _meant_elsewhere(key: str) -> tuple[str, str]:
    """Whose word a key is that forge does not have, and what it has for it in another place."""
    whose, words = ("", ()) if key in owners() else WORDS.get(key.lower(), ("", ()))
    return whose, next((word for word in words if word in owners()), "")


def _hint(error: StructureError, suggestion: Suggestion | None, data: Any) -> str:
    if suggestion is None and len(error.path) == 1 and (section := _section(error)):
        return f"write  {section}: {{{error.path[0]}: {flow(error.value)}}}"
    if suggestion is None and str(error.path[-1]) in ABSENT:
        return f"delete it: {ABSENT[str(error.path[-1])][1]}"
    if suggestion is None:
        return f"{_elsewhere(str(error.path[-1]))}{_listed(error.known)}"
    if suggestion.word in error.present:
        return _beside(error, suggestion.word, data)
    hint = f"write  {_typed(error, suggestion, data)}"
    if suggestion.word == "depends_on" and _is_ordered(error.path[:-1], error.value, data):
        hint += "\nthe reference in 'with' already orders the two"
    return hint


def _as_items(error: StructureError, data: Any) -> Finding | None:
    """GitHub's jobs, or the steps of one, as items to type; None where that is not plain."""
    match error.path:
        case ("jobs",) if isinstance(error.value, dict):
            lines, head, indent = items(error.value), "write  work_items:", " " * 9
        case ("work_items", str(name), "steps"):
            lines, indent = items({name: data["work_items"][name]}), "  "
            head = f"write in the place of '{name}' an item for each step:"
        case _:
            return None
    note = "GitHub's word; in forge each step is an item of its own"
    hint = "\n".join([head, *(indent + line for line in lines)])
    message = f"unknown key '{error.path[-1]}' in {describe(error.path[:-1])}"
    return Finding("unknown-key", Spot(error.path, "key", note), message, hint) if lines else None


def _beside(error: StructureError, word: str, data: Any) -> str:
    """What to do with a key where the right one is there already."""
    node = child(at(error.path[:-1], data), word)
    if {"list", "mapping"}.isdisjoint(shapes(node)):
        return f"there is a '{word}' here already: keep one of them"
    return f"add it to '{word}'"


def _section(error: StructureError) -> str:
    """The section at the top that the key belongs into, where it is in no other mapping."""
    (owner, *others) = owners().get(str(error.path[0]), ("",))
    return "" if others else {"Settings": "settings", "Join": "join"}.get(owner, "")


def _typed(error: StructureError, suggestion: Suggestion, data: Any) -> str:
    """The right key with the value as it takes it; the key alone where that is not plain."""
    word, key = str(error.path[-1]), suggestion.word
    node = child(at(error.path[:-1], data), key)
    if isinstance(error.value, dict) and (not suggestion.whose or _has_own_names(node)):
        return f"{key}:"
    words = tuple(map(str, values(node)))
    return typed(key, error.value, shapes(node), words, word) or f"{key}:  (forge explain {key})"


def _has_own_names(node: Node) -> bool:
    """Whether it is a mapping by names of the author's own."""
    return shapes(node) == ("mapping",) and not keys(node)


def _elsewhere(key: str) -> str:
    """A line that says where a key belongs; maybe nothing."""
    near = tuple(each for each in owners() if each[0] == key[:1])
    _, foreign = _meant_elsewhere(key)
    word = key if key in owners() else foreign or nearest(key, near)
    if not word:
        return ""
    return f"'{word}' is a key of {places(owners()[word])}: write it there, or delete it\n"


@lru_cache(maxsize=64)
def _listed(known: tuple[str, ...]) -> str:
    from textwrap import fill

    return fill(f"known here: {', '.join(known)}", 84, break_on_hyphens=False)


def _is_ordered(path: Path, needs: Any, data: Any) -> bool:
    """Whether references in the item's `with` order it behind all that it needs."""
    item = data
    for step in path:
        item = item[step]
    referred = set(_REFERENCE.findall(str(item.get("with", ""))))
    return isinstance(needs, list) and bool(needs) and all(str(each) in referred for each in needs)
