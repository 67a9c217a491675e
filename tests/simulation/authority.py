"""G1: no turn runs beyond any link of its chain, and none when its time is over."""

from collections.abc import Iterator

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Contract, Item, Plan
from forge_cli.multiagent.turn import Turn
from tests.simulation.broken import hold
from tests.simulation.made import Items
from tests.simulation.turns import undoes

SPAN = 300_000
"""Milliseconds that undoing one item may take."""


class Authority:
    """The limits of each turn, followed up from its item to the run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._items = Items(plan)
        self._started = 0
        self._asked: dict[str, int] = {}
        self._calls: dict[str, tuple[int, Turn]] = {}
        self._narrowed: dict[str, dict[str, list[str]]] = {}

    def kept(self, event: Event) -> None:
        """Follow an event that is durable."""
        self._items.note(event)

    def start(self, time: int) -> None:
        """The run was begun at that time, in milliseconds since the epoch."""
        self._started = time

    def asked(self, attempt: str, time: int) -> None:
        """A turn was started at that time; its call may begin later."""
        self._asked[attempt] = time

    def narrow(self, name: str, less: dict[str, list[str]]) -> None:
        """A person made the grant of an item smaller."""
        self._narrowed[name] = less

    def began(self, turn: Turn, now: int) -> None:
        """A call began."""
        item, grant = self._item(turn.item_id), turn.grant
        for name in item.chain:
            self._within(turn, self._plan.contracts[name])
        hold(
            "G1",
            grant.capabilities <= item.grant.capabilities,
            f"{turn.item_id!r} may {grant.capabilities}",
        )
        hold("G1", grant.actions <= item.grant.actions, f"{turn.item_id!r} may {grant.actions}")
        hold(
            "G1",
            undoes(turn) or set(grant.outputs) <= set(item.grant.outputs),
            f"{turn.item_id!r} has {grant.outputs}",
        )
        hold(
            "G1",
            _reach(grant.writes, grant.scope),
            f"{turn.item_id!r} writes {grant.writes} in {grant.scope}",
        )
        if not item.with_each:
            hold(
                "G1",
                _reach(grant.scope, item.grant.scope),
                f"{turn.item_id!r} reaches {grant.scope}",
            )
            hold(
                "G1",
                _reach(grant.writes, item.grant.writes),
                f"{turn.item_id!r} writes {grant.writes}",
            )
        self._calls[turn.attempt_id] = now + turn.timeout, turn
        if undoes(turn):
            hold("G1", turn.timeout <= SPAN, f"{turn.attempt_id!r} has {turn.timeout} ms")
            return
        less = self._narrowed.get(turn.item_id, {})
        if less:
            hold(
                "G1", _reach(grant.scope, less["scope"]), f"{turn.item_id!r} was narrowed to {less}"
            )
            hold(
                "G1",
                grant.capabilities <= set(less["capabilities"]),
                f"{turn.item_id!r} may {grant.capabilities}",
            )
        due = min(self._deadlines(item))
        hold(
            "G1",
            turn.deadline <= due,
            f"{turn.item_id!r} has until {turn.deadline}, its chain until {due}",
        )
        hold("G1", now < due, f"{turn.item_id!r} begins at {now}, its time is over at {due}")
        most = min(item.timeout, due - self._asked[turn.attempt_id])
        hold(
            "G1", turn.timeout <= most, f"{turn.item_id!r} may take {turn.timeout}, {most} are left"
        )

    def ended(self, turn: Turn) -> None:
        """A call ended, or was asked to."""
        self._calls.pop(turn.attempt_id, None)

    def lost(self) -> None:
        """Another controller took over: what the one before had called is not this one's."""
        self._calls.clear()

    def rested(self, now: int) -> None:
        """Whose time is over was asked to end."""
        late = [
            turn.item_id for limit, turn in self._calls.values() if min(limit, turn.deadline) <= now
        ]
        hold("G1", not late, f"{late} go on at {now}, and their time is over")

    def _within(self, turn: Turn, contract: Contract) -> None:
        name, grant = contract.name, turn.grant
        if contract.capabilities is not None:
            hold(
                "G1",
                grant.capabilities <= contract.capabilities,
                f"{turn.item_id!r} may more than {name}",
            )
        if contract.scope is not None:
            hold(
                "G1",
                _reach(grant.scope, contract.scope),
                f"{turn.item_id!r} reaches {grant.scope}, beyond {name}",
            )

    def _deadlines(self, item: Item) -> Iterator[int]:
        yield self._plan.deadline.resolve(self._started)
        for above in self._items.chain(item.item_id):
            if above.deadline is not None:
                yield above.deadline.resolve(self._started)

    def _item(self, name: str) -> Item:
        return self._items.find(name)


def _reach(inner: tuple[str, ...] | list[str], outer: tuple[str, ...] | list[str]) -> bool:
    """Whether all that the inner patterns reach lies within an outer one, by fixed beginnings.

    Right for patterns that end in `**` and hold no other wildcard before a fixed part.
    """
    limits = [limit.removesuffix("**") for limit in outer]
    return all(".." not in p and any(p.startswith(limit) for limit in limits) for p in inner)
