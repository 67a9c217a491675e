"""The use case of `forge explain`: what a word means that forge prints or a manifest takes."""

import re
from collections.abc import Iterator
from textwrap import wrap

from forge_cli.app.glossary import (
    ACTIONS,
    CAPABILITIES,
    EXIT_CODES,
    ITEM_STATUSES,
    RUN_STATUSES,
    TERMS,
    VALUES,
)
from forge_cli.app.related import related, said
from forge_cli.errors import ForgeError
from forge_cli.manifest.naming import flow, places
from forge_cli.manifest.rules import RULES, load
from forge_cli.manifest.shape.reference import Entry, entries
from forge_cli.manifest.suggest import suggest

_WIDTH = 96
_LONGEST_EXAMPLE = 80
_SENTENCE = re.compile(r"(?<=[.]) ")


def explain(word: str) -> list[str]:
    """The lines that explain a word, in upper or lower case; all of its meanings.

    `ForgeError` with what was probably meant, if it has none.
    """
    word = _known(word)
    sections = [
        *_rule(word),
        *_keys(word),
        *_values(word),
        *_statuses(word),
        *_others(word),
        *_exit_code(word),
    ]
    lines = sections[0]
    for section in sections[1:]:
        lines = [*lines, "", *section]
    return lines


def brief(word: str) -> list[str]:
    """A line for each meaning of a word: the first sentence that is said of it."""
    word = _known(word)
    return [f"{word}: {_SENTENCE.split(text, maxsplit=1)[0]}" for text in said(word)]


def see_also(word: str) -> list[str]:
    """The words to read on with, if there are any."""
    others = related(_known(word))
    return ["", *_wrapped(f"see also: {', '.join(others)}")] if others else []


def words() -> tuple[str, ...]:
    """Every word that can be explained, exit codes aside."""
    tables = (RULES, entries(), RUN_STATUSES, ITEM_STATUSES, VALUES, CAPABILITIES, ACTIONS, TERMS)
    return tuple(dict.fromkeys(word for table in tables for word in table))


def _known(word: str) -> str:
    """The word as the tables have it, in lower case where it was not written so."""
    for form in (word, word.lower()):
        if said(form):
            return form
    raise ForgeError(f"'{word}' is no word that forge knows; {_advice(word)}")


def _rule(word: str) -> Iterator[list[str]]:
    if word in RULES:
        doc = (load(word).__doc__ or "").rstrip()
        yield [f"{word}: rule, {RULES[word].severity}", "", *_without_fences(doc)]


def _without_fences(doc: str) -> Iterator[str]:
    """The docstring with its examples indented, and named if they are files beside the manifest."""
    inside = False
    for line in doc.splitlines():
        if line.startswith("```"):
            inside = not inside
            _, _, name = line.partition(" ")
            if inside and name:
                yield f"  # {name}"
        else:
            yield f"  {line}".rstrip() if inside else line


def _keys(word: str) -> Iterator[list[str]]:
    for entry in entries().get(word, ()):
        yield [*_wrapped(f"{word}: key of {places(entry.owners)}"), *_details(entry)]


def _details(entry: Entry) -> Iterator[str]:
    yield from _wrapped(entry.description, "  ")
    if entry.required:
        yield "  required"
    if len(entry.values) > 1:
        yield from _wrapped(f"one of: {', '.join(map(str, entry.values))}", "  ")
    for example in entry.examples:
        yield f"  example: {entry.key}: {flow(example, _LONGEST_EXAMPLE)}"


def _values(word: str) -> Iterator[list[str]]:
    if word in VALUES:
        keys = [
            key
            for key, meanings in entries().items()
            if any(word in map(str, meaning.values) for meaning in meanings)
        ]
        of = f"value of {', '.join(keys)}" if keys else "kind of failure"
        yield [f"{word}: {of}", *_wrapped(VALUES[word], "  ")]


def _statuses(word: str) -> Iterator[list[str]]:
    for kind, statuses in (("a run", RUN_STATUSES), ("an item", ITEM_STATUSES)):
        if word in statuses:
            yield [f"{word}: status of {kind}", *_wrapped(statuses[word], "  ")]


def _others(word: str) -> Iterator[list[str]]:
    tables = (("capability", CAPABILITIES), ("action", ACTIONS), ("word of forge's reports", TERMS))
    for kind, table in tables:
        if word in table:
            yield [f"{word}: {kind}", *_wrapped(table[word], "  ")]


def _exit_code(word: str) -> Iterator[list[str]]:
    if word.isdecimal() and int(word) in EXIT_CODES:
        yield [f"{word}: exit code", *_wrapped(EXIT_CODES[int(word)], "  ")]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _advice(word: str) -> str:
    if word.isdecimal():
        return f"exit codes are {', '.join(map(str, EXIT_CODES))}"
    meant = suggest(word.lower(), words())
    if meant is None:
        return "the keys are in  forge schema, a rule stands in brackets behind its findings"
    return f"did you mean  forge explain {meant.word}?"
