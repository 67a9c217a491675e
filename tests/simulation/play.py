"""Plays the world of a scenario under the eyes of every promise, and shrinks one that breaks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from forge_cli.engines.simulation.engine import SimulationEngine
from forge_cli.engines.simulation.ledger import Disk
from forge_cli.engines.simulation.world import Simulation, StuckError
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.multiagent.plan import Item, Plan
from forge_cli.multiagent.ports import Kept as Taken
from forge_cli.multiagent.run import Run
from forge_cli.testing.bench import Kept
from tests.multiagent.plans import INPUTS
from tests.simulation.broken import BrokenError
from tests.simulation.scenario import Players, Scenario, scenario
from tests.simulation.watch import Watch


class Snapshots:
    """Keeps nothing, and each time under another name."""

    def __init__(self) -> None:
        self._number = 0

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Taken:
        self._number += 1
        return Taken(f"sha256:{self._number}", len(writes))

    def restore(self, snapshot: str) -> int:
        return int(snapshot.removeprefix("sha256:"))

    def sync(self) -> None:
        """Nothing is written."""


@dataclass(frozen=True, slots=True)
class Ways:
    """What a world is made of beside its scenario; bugs are planted by other classes."""

    engine: type[SimulationEngine] = SimulationEngine
    disk: Callable[[], Disk] = Disk


def play(played: Scenario, ways: Ways = Ways()) -> Run:
    """Play the scenario to its end; `BrokenError` if a promise does not hold."""
    kept, disk = Kept(), ways.disk()
    watch = Watch(played.plan, disk)
    judge = Acceptance(played.plan, kept, lambda _: None)
    simulation = Simulation(
        played.plan,
        Players(played),
        judge,
        kept,
        Snapshots(),
        played.faults,
        played.seed,
        INPUTS,
        watch,
        ways.engine,
        disk,
    )
    try:
        run = simulation.play()
    except StuckError:
        watch.ended()
        raise
    watch.ended()
    return run


def broken(played: Scenario, ways: Ways = Ways()) -> str:
    """What the scenario breaks, in a sentence that begins with the promise; or nothing."""
    try:
        play(played, ways)
    except BrokenError as fault:
        return str(fault)
    except StuckError as fault:
        return f"end: {fault}"
    except (ValueError, KeyError, AssertionError, AttributeError, TypeError) as fault:
        return f"fault: {fault!r}"
    return ""


def shrunk(seed: int, ways: Ways = Ways()) -> tuple[Scenario, str]:
    """A small scenario that breaks the same promise as that of the seed, and what it breaks."""
    least = scenario(seed)
    sentence = broken(least, ways)
    promise = sentence.partition(":")[0]
    going = bool(sentence)
    while going:
        going = False
        for smaller in _smaller(least):
            found = broken(smaller, ways)
            if found.partition(":")[0] == promise:
                least, sentence, going = smaller, found, True
                break
    return least, sentence


def _smaller(played: Scenario) -> Iterator[Scenario]:
    """The scenario with one thing less: an accident, an item, a word of an item or of the plan."""
    plan = played.plan
    for index in range(len(played.faults)):
        yield replace(played, faults=played.faults[:index] + played.faults[index + 1 :])
    for name in reversed(list(plan.items)):
        yield replace(played, plan=_without(plan, name))
    if played.strays:
        yield replace(played, strays=False)
    for name, item in plan.items.items():
        for field in fields(Item):
            less = _plainer(item, field.name)
            if less is not None:
                yield replace(played, plan=replace(plan, items={**plan.items, name: less}))
    for plainer in (replace(plan, outputs={}), replace(plan, max_concurrency=1)):
        if plainer != plan:
            yield replace(played, plan=plainer)


KEPT = frozenset(
    {
        "item_id",
        "role_id",
        "pattern",
        "parent",
        "children",
        "grant",
        "chain",
        "for_each",
        "with_each",
    }
)


def _plainer(item: Item, field: str) -> Item | None:
    """The item without what one of its fields says, if it says anything."""
    plain = getattr(Item("x"), field)
    if field in KEPT or getattr(item, field) == plain:
        return None
    return replace(item, **{field: plain})


def _without(plan: Plan, name: str) -> Plan:
    """The plan without an item and what is below it; nobody waits for it any more."""
    gone = {name, *(n for n, i in plan.items.items() if i.parent == name)}
    items = {
        n: replace(
            item,
            children=tuple(c for c in item.children if c not in gone),
            depends_on=tuple(d for d in item.depends_on if d not in gone),
            after=tuple(d for d in item.after if d not in gone),
        )
        for n, item in plan.items.items()
        if n not in gone
    }
    return replace(plan, items=items)
