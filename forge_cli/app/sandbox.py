"""Which sandbox holds the programs of a plan on this machine, and what to do where none does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from forge_cli.errors import ForgeError
from forge_cli.gateway.sandbox import bubblewrap, landlock
from forge_cli.gateway.sandbox.boxes import Level, Sandbox
from forge_cli.multiagent.plan import Item, Plan

VARIABLE = "FORGE_SANDBOX"
LEVELS = ("namespace", "landlock", "off")
HELD_KINDS = frozenset({"command", "function"})
"""Kinds of handlers that a sandbox holds; who installs a plug-in trusts it."""

GATEWAY_KINDS = frozenset({"agent", "mcp"})
"""Kinds of handlers that do nothing but by calls that forge makes for them."""

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


def reached(plan: Plan, environment: Mapping[str, str], begun: str | None = None) -> Reached:
    """The sandbox that the plan's programs have here; `begun` is the text that a run began with.

    `ForgeError` for a level that the environment asks for and that is none.
    """
    held = {item.item_id: own_level(plan, item) for item in plan.items.values() if _has(plan, item)}
    wishes = {
        level for item_id, level in held.items() if _kind(plan, plan.items[item_id]) in HELD_KINDS
    }
    trusted = [
        name for name, level in held.items() if _kind(plan, plan.items[name]) not in HELD_KINDS
    ]
    reasons = [
        f"'{name}' is done by a plug-in, which no sandbox holds; take  sandbox  out of its handler"
        for name in trusted
        if held[name] not in ("", "off")
    ]
    if not wishes - {"off"}:
        text = begun or (OFF if held else NONE_NEEDED)
        return Reached(Sandbox(), text, tuple(reasons))
    works = look()
    default = _default(environment, works, begun)
    reasons += _missing(works, wishes, default, held)
    levels = {name: level or default or "off" for name, level in held.items()}
    off = [n for n, level in levels.items() if level == "off" or n in trusted]
    text = begun or _text(works, [level for n, level in levels.items() if n not in off], off)
    sandbox = Sandbox(default or "off", works.bwrap)
    return Reached(sandbox, text, tuple(reasons), _advice(works))


def own_level(plan: Plan, item: Item) -> str:
    """The level that the item, or its role's handler, asks for; empty if neither does."""
    return item.sandbox or str(plan.roles[item.role_id].handler.config.get("sandbox", ""))


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


def _has(plan: Plan, item: Item) -> bool:
    """Whether the item has something that a program does."""
    return bool(item.role_id) and not item.children and _kind(plan, item) not in GATEWAY_KINDS


def _kind(plan: Plan, item: Item) -> str:
    return plan.roles[item.role_id].handler.kind


def _default(environment: Mapping[str, str], works: Works, begun: str | None) -> Level | None:
    """The level of those that ask for none; None if none works."""
    if begun is not None:
        name = begun.partition(";")[0]
        return "off" if name == OFF else _named(name)
    wish = environment.get(VARIABLE, "")
    if wish and wish not in LEVELS:
        raise ForgeError(f"{VARIABLE} is '{wish}'; write one of {', '.join(LEVELS)}")
    return cast(Level, wish) if wish else works.strongest


def _named(name: str) -> Level:
    return "landlock" if name.startswith("landlock") else "namespace"


def _missing(
    works: Works, wishes: set[str], default: Level | None, held: Mapping[str, str]
) -> Iterator[str]:
    """A sentence for each level that is needed and does not work."""
    for level in sorted({wish or default or "" for wish in wishes} - {"off", *works.names}):
        name = next(n for n, wish in held.items() if (wish or default or "") == level)
        faults = [works.faults[level]] if level else works.faults.values()
        yield (
            f"a sandbox is needed and does not work here: {', and '.join(faults)}; '{name}' is a"
            " program, and only a sandbox can hold it to its grant: type  forge explain sandbox "
            f" for how to get one, or write  sandbox: off  in its handler (export {VARIABLE}=off"
            " for all), and every report will say 'not enforced'"
        )


def _text(works: Works, levels: list[str], off: list[str]) -> str:
    names = [name for level, name in works.names.items() if level in levels]
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
