"""The use case of `forge explain`: what a rule, a key, a status or an exit code means."""

import re
from collections.abc import Iterator
from textwrap import wrap

from forge_cli.app.glossary import EXIT_CODES, ITEM_STATUSES, RUN_STATUSES
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
    """The lines that explain a word; all of its meanings, if it has several.

    `ForgeError` with what was probably meant, if it has none.
    """
    _check(word)
    sections = [*_rule(word), *_keys(word), *_statuses(word), *_exit_code(word)]
    lines = sections[0]
    for section in sections[1:]:
        lines = [*lines, "", *section]
    return lines


def brief(word: str) -> list[str]:
    """A line for each meaning of a word: the first sentence that is said of it."""
    _check(word)
    return [f"{word}: {_SENTENCE.split(text, maxsplit=1)[0]}" for text in said(word)]


def see_also(word: str) -> list[str]:
    """The words to read on with, if there are any."""
    others = related(word)
    return ["", *_wrapped(f"see also: {', '.join(others)}")] if others else []


def _check(word: str) -> None:
    if not said(word):
        raise ForgeError(f"'{word}' is no rule, key, status or exit code; {_advice(word)}")


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


def _statuses(word: str) -> Iterator[list[str]]:
    for kind, statuses in (("a run", RUN_STATUSES), ("an item", ITEM_STATUSES)):
        if word in statuses:
            yield [f"{word}: status of {kind}", *_wrapped(statuses[word], "  ")]


def _exit_code(word: str) -> Iterator[list[str]]:
    if word.isdecimal() and int(word) in EXIT_CODES:
        yield [f"{word}: exit code", *_wrapped(EXIT_CODES[int(word)], "  ")]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _advice(word: str) -> str:
    if word.isdecimal():
        return f"exit codes are {', '.join(map(str, EXIT_CODES))}"
    known = (*RULES, *entries(), *RUN_STATUSES, *ITEM_STATUSES)
    meant = suggest(word, tuple(dict.fromkeys(known)))
    if meant is None:
        return "the keys are in  forge schema, a rule stands in brackets behind its findings"
    return f"did you mean  forge explain {meant.word}?"
