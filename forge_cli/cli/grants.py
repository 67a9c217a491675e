"""What turns of an item may do, and under which limits."""

import re
import shlex
from collections.abc import Iterator

from forge_cli.app.sandbox import GATEWAY_KINDS, OFF, own_level
from forge_cli.cli.figures import count, deadline, duration
from forge_cli.cli.tables import clip, left, wrap
from forge_cli.cli.terminal import Terminal, width
from forge_cli.handlers.presets import FACTS, arguments, variables
from forge_cli.handlers.presets.facts import facts_of
from forge_cli.handlers.server_settings import started
from forge_cli.multiagent.plan import Grant, Handler, Item, Plan

_OF_AN_INPUT = re.compile(r"\$\{inputs\.([a-zA-Z0-9_-]+)\}")
_HOUR = 3_600_000
_WIDEST = 70
_MOST_LINES = 12


def grant_lines(
    plan: Plan, item: Item, grant: Grant, reached: str, terminal: Terminal
) -> list[str]:
    """What turns of one item may do, under which limits, and what of `reached` holds them."""
    if item.children:
        return ["  what its sub-tasks may: each has a contract of its own"]
    return [f"  {line}" for line in sides(plan, item, grant, reached, terminal, 60)]


def sides(
    plan: Plan, item: Item, grant: Grant, reached: str, terminal: Terminal, columns: int
) -> list[str]:
    """What it may use at the left, in that many columns, its limits at the right.

    A name that is wider than the left side has a line of its own, with no limit beside it.
    """
    limits = [
        f"{left(key, 10)}{value}" for key, value in _limits(item, held_by(plan, item, reached))
    ]
    lines = []
    for use in _left_side(plan, item, grant, terminal, columns - 2):
        limit = limits.pop(0) if limits and width(use) <= columns - 2 else ""
        lines.append(f"{left(use, columns)}{limit}".rstrip())
    return [*lines, *(" " * columns + limit for limit in limits)]


def _left_side(
    plan: Plan, item: Item, grant: Grant, terminal: Terminal, columns: int
) -> Iterator[str]:
    for key, parts in _uses(plan, item, grant):
        head = left(key, 7) if width(key) < 7 else f"{key} "
        # A script's first line only says which one it is: limits shall stand beside it.
        widest = columns - width(head) if key == "script" else _WIDEST
        yield from _packed(head, [clip(terminal.safe(part), widest) for part in parts], columns)


def _packed(head: str, parts: list[str], columns: int) -> list[str]:
    """The parts behind `head`, as many on a line as fit; a wider one may take the whole line."""
    lines = [head]
    for number, part in enumerate(parts):
        comma = "," if number < len(parts) - 1 else ""
        if lines[-1] != head and width(f"{lines[-1]} {part}{comma}") > columns:
            lines.append(" " * width(head))
        space = "" if not lines[-1].strip() or lines[-1] == head else " "
        lines[-1] += space + clip(part, _WIDEST - width(head)) + comma
    return (
        lines[:_MOST_LINES]
        if len(lines) <= _MOST_LINES
        else [
            *lines[: _MOST_LINES - 1],
            " " * width(head) + f"and {len(lines) - _MOST_LINES + 1} lines more",
        ]
    )


def _uses(plan: Plan, item: Item, grant: Grant) -> Iterator[tuple[str, list[str]]]:
    """What the item calls and may touch, and what its result is held against; key and parts."""
    handler = plan.roles[item.role_id].handler
    if handler.config.get("inputs_as_env"):
        first, _, more = str(handler.config["argv"][-1]).strip().partition("\n")
        yield "script", [f"{first} .." if more else first]
    elif "preset" in handler.config:
        yield "preset", [handler.config["preset"]]
        lines = wrap(_expansion(plan, item, grant), _WIDEST - 7)
        yield from (("" if number else "run", [line]) for number, line in enumerate(lines))
    elif handler.kind == "command":
        yield "run", [shlex.join(map(str, handler.config["argv"])).replace("\n", " ")]
    elif handler.kind == "function":
        yield "call", [str(handler.config["call"])]
    elif handler.plug_in:
        yield "plug-in", [f"{handler.kind}, of {handler.plug_in}"]
    yield "use", sorted(grant.capabilities) or ["nothing"]
    files = [scope for scope in grant.scope if scope.startswith("files:")]
    hosts = [scope for scope in grant.scope if scope not in files]
    yield "read", files if files and "file-read" in grant.actions else ["nothing"]
    yield "write", list(grant.writes) if "file-write" in grant.actions else ["nothing"]
    if item.compensate is not None:
        program = item.compensate.config.get("argv")
        yield "undo", [item.compensate.kind if program is None else shlex.join(map(str, program))]
    if hosts and "network" in grant.actions:
        yield "reach", hosts
    if item.for_each is not None:
        together = min(item.max_parallel or plan.max_concurrency, plan.max_concurrency)
        yield "each", [f"{_elements(plan, item)}, {together} at once"]
    if item.when is not None:
        yield "when", [item.when]
    held = [f"{item.completion} holds"] if item.completion else []
    held += [*item.criteria, *(f"{name} is there" for name in item.evidence)]
    if held:
        yield "accept when", held


def _expansion(plan: Plan, item: Item, grant: Grant) -> str:
    """The command that a preset stands for in this item; capitals are filled in at its turn."""
    config = plan.roles[item.role_id].handler.config
    budgets = [plan.budget, item.budget, *(plan.contracts[name].budget for name in item.chain)]
    limited = {name for each in budgets if each is not None for name in each.limits()}
    facts = facts_of(config, grant, plan.schemas.get(item.completion or ""))
    facts |= {name: name.upper() for name in FACTS if name in facts and name != "model"}
    facts |= {name: name.upper() for name in limited}
    given = [f"{name}={shlex.quote(value)}" for name, value in variables(config, facts).items()]
    return " ".join([*given, shlex.join(arguments(config, facts))])


def _elements(plan: Plan, item: Item) -> str:
    """How many elements there are, or what has them."""
    if isinstance(item.for_each, list):
        return count(len(item.for_each), "element")
    found = _OF_AN_INPUT.fullmatch(str(item.for_each))
    declared = plan.inputs.get(found[1]) if found else None
    if declared is not None and isinstance(declared.default, list):
        return f"{count(len(declared.default), 'element')} by default"
    return f"element of {item.for_each}"


def held_by(plan: Plan, item: Item, reached: str) -> str:
    """What keeps the item within its grant, where programs are held by what was `reached`."""
    handler, name = plan.roles[item.role_id].handler, reached.partition(";")[0]
    if handler.kind in GATEWAY_KINDS:
        return f"gateway ({_beside_the_gateway(handler, item, name)})"
    level = own_level(plan, item)
    if level == "off" or name == OFF:
        return "nothing (sandbox off)"
    return f"sandbox ({'landlock' if level == 'landlock' else name})"


def _beside_the_gateway(handler: Handler, item: Item, name: str) -> str:
    """What holds the programs of an item whose calls forge makes, or that it has none."""
    servers = [server.get("sandbox", "") for server in started(handler.config)]
    if not servers and "process" not in item.grant.actions:
        return f"{handler.kind} handler"
    if name == OFF or (servers and {*servers} == {"off"}):
        return "programs not held"
    if "off" in servers:
        return "not all servers held"
    return "landlock" if "landlock" in servers else name


def _limits(item: Item, held: str) -> Iterator[tuple[str, str]]:
    yield "risk", item.risk
    yield "on crash", item.on_crash
    yield "held by", held
    if item.retry is not None:
        yield "attempts", str(item.retry.max_attempts)
    if item.then != "fail":
        yield "failure", item.then
    if not item.required:
        yield "required", "no"
    if item.timeout != _HOUR:
        yield "timeout", duration(item.timeout)
    if item.deadline is not None:
        yield "deadline", deadline(item.deadline)
