"""Which sandbox holds the programs of a plan on this machine, and what to do where none does."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from forge_cli.errors import ForgeError
from forge_cli.gateway.sandbox import bubblewrap, landlock
from forge_cli.gateway.sandbox.boxes import Level, Sandbox
from forge_cli.handlers.server_settings import absolute, started
from forge_cli.multiagent.plan import Handler, Item, Plan

VARIABLE = "FORGE_SANDBOX"
LEVELS = ("namespace", "landlock", "off")
GATEWAY_KINDS = frozenset({"agent", "mcp"})
"""Kinds of handlers that do nothing but by calls that forge makes, servers aside."""

OFF = "off, not enforced"
NONE_NEEDED = "none needed"
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Reached:
    """The sandbox of a run: its `text` is in every report, `reasons` say why it cannot start.

    `advice` says how more could be had here.
    """

    sandbox: Sandbox
    text: str
    reasons: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Works:
    """What works on this machine: names of levels, and why the others do not."""

    bwrap: str
    names: Mapping[str, str]
    faults: Mapping[str, str]

    @property
    def strongest(self) -> Level | None:
        """The strongest level that works, `off` not counted."""
        return cast(Level, next(iter(self.names))) if self.names else None


def look() -> Works:
    """Try what works here: a few milliseconds for each level."""
    names: dict[str, str] = {}
    faults: dict[str, str] = {}
    bwrap = bubblewrap.program()
    if bwrap is None:
        faults["namespace"] = "bubblewrap is not installed"
    elif said := bubblewrap.trial(bwrap):
        faults["namespace"] = f"bubblewrap may not make a namespace ({said})"
    else:
        names["namespace"] = bubblewrap.version(bwrap)
    if (version := landlock.version()) >= landlock.NEEDED:
        names["landlock"] = f"landlock {version}"
    else:
        faults["landlock"] = "the kernel has no Landlock of version 3 or later"
    return Works(bwrap or "", names, faults)


def reached(
    plan: Plan,
    environment: Mapping[str, str],
    begun: str | None = None,
    looked: Callable[[], Works] = look,
) -> Reached:
    """The sandbox that the plan's programs have here; `begun` is the text that a run began with.

    `looked` says what works. `ForgeError` for a level that the environment wants and that is none.
    """
    found = list(_programs(plan))
    wishes = {program.level for program in found}
    wish = _wish(environment, begun) if wishes - {"off"} else None
    if not {level or wish for level in wishes} - {"off"}:
        return Reached(Sandbox(), begun or (OFF if found else NONE_NEEDED))
    works = looked()
    default = wish or works.strongest
    reasons = _missing(works, wishes, default, found)
    levels = [(p.item_id, p.level or default or "off") for p in found]
    text = begun or _text(works, levels)
    sandbox = Sandbox(default or "off", works.bwrap)
    return Reached(sandbox, text, tuple(reasons), _advice(works))


def own_level(plan: Plan, item: Item) -> str:
    """The level that the item, or its role's handler, asks for; empty if neither does."""
    return item.sandbox or str(plan.roles[item.role_id].handler.config.get("sandbox", ""))


def named_files(plan: Plan) -> frozenset[str]:
    """What arguments of programs name and is a file: from the workspace, of servers also others."""
    named = (path for role in plan.roles.values() for path in absolute(role.handler.config))
    return frozenset(plan.programs) | {path for path in named if Path(path).is_file()}


class _Program(NamedTuple):
    """What a sandbox holds of an item; `level` is what it asks for, empty if it does not."""

    item_id: str
    level: str
    what: str = "is a program"


def _programs(plan: Plan) -> Iterator[_Program]:
    """The programs of items: those that do them, that agents start, servers, what undoes them.

    Also those of roles that items hand work to.
    """
    for item in plan.items.values():
        if item.compensate is not None and item.compensate.kind == "command":
            yield _Program(item.item_id, str(item.compensate.config.get("sandbox", "")))
        if not item.role_id or item.children:
            continue
        handler = plan.roles[item.role_id].handler
        yield from _of_handler(item.item_id, handler, own_level(plan, item))
        if handler.kind in GATEWAY_KINDS and "process" in item.grant.actions:
            yield _Program(item.item_id, "")
    used = {item.role_id for item in plan.items.values()}
    for role_id, role in plan.roles.items():
        if role_id not in used:
            level = str(role.handler.config.get("sandbox", ""))
            yield from _of_handler(role_id, role.handler, level)


def _of_handler(name: str, handler: Handler, level: str) -> Iterator[_Program]:
    if handler.kind not in GATEWAY_KINDS:
        yield _Program(name, level)
    for server in started(handler.config):
        yield _Program(name, server.get("sandbox", ""), "starts a server of tools")


def _wish(environment: Mapping[str, str], begun: str | None) -> Level | None:
    """The level of those that ask for none; None for the strongest that works, if any does."""
    if begun is not None:
        name = begun.partition(";")[0]
        return "off" if name == OFF else _named(name)
    wish = environment.get(VARIABLE, "")
    if wish and wish not in LEVELS:
        raise ForgeError(f"{VARIABLE} is '{wish}'; write one of {', '.join(LEVELS)}")
    return cast(Level, wish) if wish else None


def _named(name: str) -> Level:
    return "landlock" if name.startswith("landlock") else "namespace"


def _missing(
    works: Works, wishes: set[str], default: Level | None, found: list[_Program]
) -> Iterator[str]:
    """A sentence for each level that is needed and does not work."""
    for level in sorted({wish or default or "" for wish in wishes} - {"off", *works.names}):
        one = next(p for p in found if (p.level or default or "") == level)
        faults = [works.faults[level]] if level else works.faults.values()
        who = f"'{one.item_id}' {one.what}"
        yield (
            f"a sandbox is needed and does not work here: {', and '.join(faults)}; {who}, and only"
            " a sandbox can hold it to its grant: type  forge explain sandbox "
            f" for how to get one, or write  sandbox: off  in its handler (export {VARIABLE}=off"
            " for all), and every report will say 'not enforced'"
        )


def _text(works: Works, levels: list[tuple[str, str]]) -> str:
    wanted = {level for _, level in levels}
    names = [name for level, name in works.names.items() if level in wanted]
    off = list(dict.fromkeys(item_id for item_id, level in levels if level == "off"))
    if not names:
        return OFF
    if not off:
        return " and ".join(names)
    more = f" and {len(off) - MOST_NAMED} more" if len(off) > MOST_NAMED else ""
    return f"{' and '.join(names)}; not enforced: {', '.join(off[:MOST_NAMED])}{more}"


def _advice(works: Works) -> str:
    if "namespace" in works.names:
        return ""
    return f"{works.faults['namespace']}; with it more is held: forge explain sandbox"
