"""What turns of an item may do, and under which limits."""

import shlex
from collections.abc import Iterator
from itertools import zip_longest

from forge_cli.cli.figures import duration
from forge_cli.cli.tables import hang, left
from forge_cli.cli.terminal import Terminal, width
from forge_cli.multiagent.plan import Grant, Item, Plan

_HOUR = 3_600_000


def grant_lines(plan: Plan, item: Item, grant: Grant, terminal: Terminal) -> list[str]:
    """What turns of one item may do, and under which limits."""
    if item.children:
        return ["  what its sub-tasks may: each has a contract of its own"]
    return [f"  {line}" for line in sides(plan, item, grant, terminal, 60)]


def sides(plan: Plan, item: Item, grant: Grant, terminal: Terminal, columns: int) -> list[str]:
    """What it may use at the left, in that many columns, its limits at the right."""
    uses = [line for row in _uses(plan, item, grant) for line in _use(row, terminal, columns - 2)]
    limits = [f"{left(key, 10)}{value}" for key, value in _limits(item)]
    pairs = zip_longest(uses, limits, fillvalue="")
    return [f"{left(use, columns)}{limit}".rstrip() for use, limit in pairs]


def _use(row: tuple[str, str], terminal: Terminal, columns: int) -> list[str]:
    key, value = row
    head = left(key, 7) if width(key) < 7 else f"{key} "
    return hang(head, terminal.safe(value), columns, most=6)


def _uses(plan: Plan, item: Item, grant: Grant) -> Iterator[tuple[str, str]]:
    handler = plan.roles[item.role_id].handler
    if handler.config.get("inputs_as_env"):
        first, _, more = str(handler.config["argv"][-1]).strip().partition("\n")
        yield "script", f"{first} .." if more else first
    elif handler.kind == "command":
        yield "run", shlex.join(map(str, handler.config["argv"])).replace("\n", " ")
    elif handler.kind == "function":
        yield "call", str(handler.config.get("call", ""))
    yield "use", ", ".join(sorted(grant.capabilities)) or "nothing"
    yield "read", ", ".join(grant.scope) if "file-read" in grant.actions else "nothing"
    yield "write", ", ".join(grant.writes) if "file-write" in grant.actions else "nothing"
    if item.for_each is not None:
        number = f"{len(item.for_each)} elements" if isinstance(item.for_each, list) else "elements"
        yield "each", f"{number}, {item.max_parallel or plan.max_concurrency} at once"
    if item.when is not None:
        yield "when", item.when
    held = [f"{item.completion} holds"] if item.completion else []
    held += [*item.criteria, *(f"{name} is there" for name in item.evidence)]
    if held:
        yield "accept when", ", ".join(held)


def _limits(item: Item) -> Iterator[tuple[str, str]]:
    yield "risk", item.risk
    yield "on crash", item.on_crash
    yield "held by", "nothing (sandbox off)"
    if item.retry is not None:
        yield "attempts", str(item.retry.max_attempts)
    if item.then != "fail":
        yield "failure", item.then
    if not item.required:
        yield "required", "no"
    if item.timeout != _HOUR:
        yield "timeout", duration(item.timeout)
