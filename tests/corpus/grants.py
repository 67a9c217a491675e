"""Grants made wider than what is above them, in every dimension, and parents made narrower."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.corpus.mutations import MARK, Mutation, Text
from tests.corpus.parts import Part, contracts, items, roles

WORDS = ("process", "network", "read", "write")
"""Built-in capabilities, those first that change nothing else about an item."""

ELSEWHERE = "net:elsewhere.example.org:1"
"""In no scope of the corpus."""

HUGE = 1_000_000


def capabilities(text: Text, data: Any) -> Iterator[Mutation]:
    """Every grant with a capability that the role behind it does not hold."""
    rule = "capability-exceeds-role"
    for part, key in (*((each, "capabilities") for each in items(data)), *_authority(data)):
        role = data.get("roles", {}).get(part.role)
        if role and key in part.written and "delegation" not in part.written:
            word = next(word for word in WORDS if word not in role["capabilities"])
            edit = text.into((*part.path, key), f"{MARK}{word}")
            yield Mutation(f"wider {key} of {part.path[0]}", rule, (edit,))
    for part in roles(data):
        if "capabilities" in part.written.get("delegates", {}):
            word = next(word for word in WORDS if word not in part.written["capabilities"])
            path = (*part.path, "delegates", "capabilities")
            yield Mutation("wider delegates", rule, (text.into(path, f"{MARK}{word}"),))


def _authority(data: Any) -> Iterator[tuple[Part, str]]:
    yield from ((part, "authority") for part in contracts(data))


def authority(text: Text, data: Any) -> Iterator[Mutation]:
    """Every contract that hands on what its delegator may not, or to whom it may not."""
    rule = "authority-exceeds-delegates"
    for part in contracts(data):
        path = _delegator(part, data)
        only = len(list(contracts(data))) == 1
        if "capabilities" in part.above.get("delegates", {}) and only and part.written["authority"]:
            narrower = text.value((*path, "delegates", "capabilities"), "[]")
            marks = (
                text.at((*part.path, "authority", index))
                for index, _ in enumerate(part.written["authority"])
            )
            yield Mutation("narrower delegates", rule, (narrower, *marks))
        if "delegates" in part.above and only:
            narrower = text.value((*path, "delegates", "to"), "[]")
            mark = text.at((*part.path, "delegate"))
            yield Mutation("delegates nobody", rule, (narrower, mark))


def _delegator(part: Part, data: Any) -> tuple[str, ...]:
    return ("roles", re.sub("^agent:|@.*$", "", part.written["delegator"]))


def outputs(text: Text, data: Any) -> Iterator[Mutation]:
    """Every promise of an output that the role behind it does not produce."""
    for part in (*items(data), *contracts(data)):
        if "outputs" in part.written and part.role:
            edit = text.into((*part.path, "outputs"), f"{MARK}unheard-of")
            yield Mutation(f"wider outputs of {part.path[0]}", "output-exceeds-role", (edit,))


def scopes(text: Text, data: Any) -> Iterator[Mutation]:
    """Every scope, and what may be written, with a place that nothing above holds."""
    for part in (*items(data), *contracts(data), *roles(data)):
        if "scope" in part.written:
            edit = text.into((*part.path, "scope"), f"{MARK}{ELSEWHERE}")
            yield Mutation(f"wider scope of {part.path[0]}", "scope-exceeds-parent", (edit,))
        if "writes" in part.written:
            edit = text.into((*part.path, "writes"), f"{MARK}files:.git/config")
            if "files:.git" not in str(data.get("scope")):
                yield Mutation("wider writes", "scope-exceeds-parent", (edit,))


def budgets(text: Text, data: Any) -> Iterator[Mutation]:
    """Every budget, in every dimension that the run limits, beyond it."""
    limited = data.get("budget", {"model_calls": 100})
    for part in (*items(data), *contracts(data), *roles(data)):
        for path, budget in _budgets(part):
            for dimension in limited:
                edit = (
                    text.value((*path, dimension), f"{MARK}{HUGE}")
                    if dimension in budget
                    else text.into(path, f"{dimension}: {MARK}{HUGE}")
                )
                name = f"more {dimension} for {path[-1]} of {part.path[0]}"
                yield Mutation(name, "budget-exceeds-parent", (edit,))


def _budgets(part: Part) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    if "budget" in part.written:
        yield (*part.path, "budget"), part.written["budget"]
    if "max_usage" in part.written.get("handler", {}):
        yield (*part.path, "handler", "max_usage"), part.written["handler"]["max_usage"]


def deadlines(text: Text, data: Any) -> Iterator[Mutation]:
    """Every deadline and timeout behind that of the run."""
    for part in (*items(data), *contracts(data)):
        for key in ("deadline", "timeout"):
            later = "9d" if "T" not in data.get("deadline", "6h") else "2050-01-01T00:00:00Z"
            if key in part.written and (key == "deadline" or later == "9d"):
                edit = text.value((*part.path, key), f"{MARK}{later}")
                yield Mutation(f"later {key} of {part.path[0]}", "deadline-after-parent", (edit,))


def depths(text: Text, data: Any) -> Iterator[Mutation]:
    """Every depth beyond the run's or the delegator's."""
    for part in roles(data):
        if "depth" in part.written.get("delegates", {}):
            edit = text.value((*part.path, "delegates", "depth"), f"{MARK}99")
            yield Mutation("deeper role", "depth-exceeded", (edit,))
    for part in contracts(data):
        if "depth" in part.written:
            edit = text.value((*part.path, "depth"), f"{MARK}99")
            yield Mutation("deeper contract", "depth-exceeded", (edit,))


def risks(text: Text, data: Any) -> Iterator[Mutation]:
    """Every item that may do more than read, and says that it only reads."""
    for part in items(data):
        more = {"process", "network", "write", "repository-write"} & {
            *part.written.get("capabilities", ())
        }
        if more and "risk" not in part.written:
            edit = text.into(part.path, f"risk: {MARK}read_only")
            yield Mutation("understated", "risk-understated", (edit,))


def counts(text: Text, data: Any) -> Iterator[Mutation]:
    """Limits of how many act together, below what is asked for."""
    for part in items(data):
        if part.written.get("pattern") == "joint":
            edits = [text.at_key((*part.path, "sub_tasks"))]
            if "settings" not in data:
                edits.append(text.into((), "settings: {max_joint_agents: 1}"))
                yield Mutation("too many at a board", "joint-too-large", tuple(edits))
    if "join" in data:
        edit = text.value(("join", "minimum_successes"), f"{MARK}99")
    else:
        edit = text.into((), f"join: {{minimum_successes: {MARK}99}}")
    yield Mutation("more successes than roles", "unreachable-minimum", (edit,))
