"""Which words of forge lead to one another: by what is said of each, and by the rules' names."""

import re
from collections.abc import Iterator

from forge_cli.app.glossary import (
    ACTIONS,
    CAPABILITIES,
    EXIT_CODES,
    ITEM_STATUSES,
    RUN_STATUSES,
    TERMS,
    VALUES,
)
from forge_cli.manifest.rules import RULES, load
from forge_cli.manifest.shape.reference import entries

_EXAMPLES = re.compile(r"^(Bad|Good):$.*", re.MULTILINE | re.DOTALL)
_TABLES = (VALUES, RUN_STATUSES, ITEM_STATUSES, CAPABILITIES, ACTIONS, TERMS)
_NAMED = re.compile(r"`([^`\s]+)`|'([^'\s]+)'|(?:code|or) (\d+)\b")


def said(word: str) -> list[str]:
    """What is said of a word, a text for each of its meanings; nothing of an unknown one."""
    return [" ".join(text.split()) for text in _texts(word)]


def related(word: str) -> list[str]:
    """Rules, keys, statuses and exit codes that name the word or that it names."""
    own = _names(word)
    codes = map(str, EXIT_CODES)
    known = dict.fromkeys([*RULES, *entries(), *RUN_STATUSES, *ITEM_STATUSES, *codes])
    return [
        other
        for other in known
        if other != word and (other in own or word in _names(other) or _is_about(word, other))
    ]


def _texts(word: str) -> Iterator[str]:
    if word in RULES:
        yield _EXAMPLES.sub("", load(word).__doc__ or "")
    yield from (entry.description for entry in entries().get(word, ()))
    yield from (table[word] for table in _TABLES if word in table)
    if word.isdecimal() and int(word) in EXIT_CODES:
        yield EXIT_CODES[int(word)]


def _names(word: str) -> set[str]:
    """What is set off as a word, or as an exit code, in all that is said of one."""
    return {name for text in said(word) for groups in _NAMED.findall(text) for name in groups}


def _is_about(one: str, other: str) -> bool:
    """Whether one is a rule whose name has the other, a key, in it."""
    rule, key = (one, other) if one in RULES else (other, one)
    if rule not in RULES or key not in entries():
        return False
    forms = (key, key.removesuffix("s"), re.sub("ies$", "y", key))
    return any(f"-{form.replace('_', '-')}-" in f"-{rule}-" for form in forms)
