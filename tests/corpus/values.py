"""Values that cannot be read: expressions, spans, ids, schemas, grants of what is built in."""

from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Path
from tests.corpus.language import uses
from tests.corpus.mutations import MARK, Mutation, Text
from tests.corpus.parts import contracts, items, roles

BAD = "bad-expression"
SPANS = frozenset({"backoff", "deadline", "grace", "max", "timeout"})


def expressions(text: Text, data: Any) -> Iterator[Mutation]:
    """Every expression: one that does not end, a function that is not there, a lone name."""
    for path, what in _expressions(data):
        root = "inputs" if what == "when" else "@"
        yield Mutation(f"half of a {what}", BAD, (text.value(path, f"{MARK}'length('"),))
        call = text.value(path, f"'{MARK}unheard_of({root})'")
        yield Mutation(f"no function of a {what}", BAD, (call,))
        if what != "extract":
            name = text.value(path, f"'{MARK}nowhere.x == `1`'")
            yield Mutation(f"no root of a {what}", BAD, (name,))


def _expressions(data: Any) -> Iterator[tuple[Path, str]]:
    for part in (*items(data), *contracts(data)):
        if "when" in part.written:
            yield (*part.path, "when"), "when"
        for index, _ in enumerate(part.written.get("criteria", ())):
            yield (*part.path, "criteria", index), "criterion"
    for part in roles(data):
        for key in part.written["handler"].get("extract", {}):
            yield (*part.path, "handler", "extract", key), "extract"


def spans(text: Text, data: Any) -> Iterator[Mutation]:
    """Every span and amount of money, in a form that could be read in several ways."""
    for use in uses(data):
        if use.key in SPANS:
            edit = text.value(use.path, f"{MARK}12:30")
            yield Mutation(f"clock for {use.mapping}.{use.key}", "bad-value", (edit,))
        elif use.mapping == "Budget" and use.key == "cost_usd":
            edit = text.value(use.path, f"{MARK}1e3")
            yield Mutation("power for cost_usd", "bad-value", (edit,))


def ids(text: Text, data: Any) -> Iterator[Mutation]:
    """Further outputs and inputs whose names are no ids."""
    for part in roles(data):
        if "outputs" in part.written:
            edit = text.into((*part.path, "outputs"), f"{MARK}Not-An-Id")
            yield Mutation("output that is no id", "id-not-slug", (edit,))
    if "inputs" in data:
        edit = text.into(("inputs",), f"{MARK}9lives: {{}}")
        yield Mutation("input that is no id", "id-not-slug", (edit,))


def schemas(text: Text, data: Any) -> Iterator[Mutation]:
    """Every schema that is written in the manifest, with a type that there is not."""
    for name, schema in data.get("schemas", {}).items():
        if isinstance(schema, dict) and isinstance(schema.get("type"), str):
            edit = text.value(("schemas", name, "type"), f"{MARK}unheard-of")
            yield Mutation("bad schema", "bad-schema", (edit,))


def built_in(text: Text, data: Any) -> Iterator[Mutation]:
    """A built-in capability with another meaning."""
    if "capabilities" in data:
        edit = text.into(("capabilities",), f"{MARK}repository-read: [network]")
    else:
        edit = text.into((), f"capabilities: {{{MARK}repository-read: [network]}}")
    yield Mutation("built-in word redefined", "inert-key", (edit,))


def fills(text: Text, data: Any) -> Iterator[Mutation]:
    """Every goal with what is not filled: a variable of the shell, GitHub's braces, half of one."""
    for part in items(data):
        if "goal" in part.written:
            for token in ("${HOME}", "${{ inputs.x }}", "${inputs"):
                edit = text.value((*part.path, "goal"), f'"Do it: {MARK}{token}"')
                yield Mutation(f"filled with {token}", "unknown-interpolation", (edit,))
