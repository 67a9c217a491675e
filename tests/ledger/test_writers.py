"""Controllers that take a ledger from each other and write to it, in any order."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from forge_cli.errors import ForgeError
from forge_cli.ledger.leases import SPAN
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from tests.programme import size

START = 1_796_047_923_000


class Writers(RuleBasedStateMachine):
    """`kept` is what was acknowledged; the last of `writers` holds the lease until `until`."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "r" / "ledger.db"
        self.now, self.until = START, START + SPAN
        self.writers = [Store.create(self.path, "r", "writer 1", START)]
        self.kept: list[Event] = []

    def teardown(self) -> None:
        for writer in self.writers:
            writer.close()
        self._folder.cleanup()

    @rule(wait=st.sampled_from([0, 1, SPAN // 2, SPAN]))
    def wait(self, wait: int) -> None:
        self.now += wait

    @precondition(lambda self: len(self.writers) < 6)
    @rule(by_force=st.booleans())
    def take(self, by_force: bool) -> None:
        holder = f"writer {len(self.writers) + 1}"
        if self.now < self.until and not by_force:
            with pytest.raises(ForgeError, match="is held by"):
                Store.take(self.path, holder, self.now)
            return
        taken = Store.take(self.path, holder, self.now, by_force=by_force)
        list(taken.sound())  # who goes on reads what there is
        self.writers.append(taken)
        self.until = self.now + SPAN
        assert taken.epoch == len(self.writers)

    @rule(data=st.data(), count=st.integers(1, 4))
    def append(self, data: st.DataObject, count: int) -> None:
        writer = data.draw(st.sampled_from(self.writers))
        body = {"by": writer.epoch}
        events = [Event(self.now, "run_stopping", f"n{n}", "", body) for n in range(count)]
        if writer is self.writers[-1]:
            writer.append(events)
            self.kept += events
            return
        with pytest.raises(ForgeError, match="was taken over by"):
            writer.append(events)

    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        writer = data.draw(st.sampled_from(self.writers))
        if writer is self.writers[-1]:
            writer.renew(self.now)
            self.until = self.now + SPAN
            return
        with pytest.raises(ForgeError, match="was taken over by"):
            writer.renew(self.now)

    @rule()
    def release(self) -> None:
        self.writers[-1].release()
        self.until = 0

    @invariant()
    def what_was_acknowledged_is_there_and_nothing_else(self) -> None:
        with Reader.open(self.path) as reader:
            assert list(reader.sound()) == self.kept


TestWriters = pytest.mark.programme(Writers.TestCase)
TestWriters.settings = settings(
    max_examples=size("steps") // 40, stateful_step_count=40, deadline=None
)
