"""What every ledger must hold: one writer at a time, and nothing that was kept is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.engines.simulation.ledger import Disk
from forge_cli.errors import ForgeError
from forge_cli.ledger.leases import SPAN
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event

NOW = 1_000_000
EVENTS = [Event(NOW, "run_started", body={"run": "r"}), Event(NOW, "run_ended", body={"a": [1]})]

Take = Callable[..., Any]


class LedgerContract:
    """A subclass gives fixtures `take`, called as (holder, now, by_force), and `kept`."""

    def test_what_is_appended_is_kept_in_order(self, take: Take, kept: Any) -> None:
        ledger = take("a", NOW)
        ledger.append(EVENTS[:1])
        ledger.append(EVENTS[1:])
        assert kept() == EVENTS

    def test_a_second_holder_is_refused_until_the_lease_lapses(self, take: Take) -> None:
        first = take("a", NOW)
        with pytest.raises(ForgeError, match="held"):
            take("b", NOW + SPAN - 1)
        assert take("b", NOW + SPAN).epoch == first.epoch + 1

    def test_a_renewed_lease_lasts_longer(self, take: Take) -> None:
        take("a", NOW).renew(NOW + 1)
        with pytest.raises(ForgeError, match="held"):
            take("b", NOW + SPAN)

    def test_a_released_lease_is_free(self, take: Take) -> None:
        take("a", NOW).release()
        assert take("b", NOW + 1).epoch == 2

    def test_by_force_it_is_taken_at_once(self, take: Take) -> None:
        take("a", NOW)
        assert take("b", NOW, True).epoch == 2

    @pytest.mark.parametrize("use", ["append", "renew", "release"])
    def test_who_was_taken_over_is_fenced(self, use: str, take: Take, kept: Any) -> None:
        first = take("a", NOW)
        first.append(EVENTS[:1])
        second = take("b", NOW, True)
        with pytest.raises(ForgeError, match="was taken over"):
            getattr(first, use)(*{"append": (EVENTS,), "renew": (NOW,), "release": ()}[use])
        assert kept() == EVENTS[:1]
        second.append(EVENTS[1:])
        assert kept() == EVENTS


class TestStore(LedgerContract):
    @pytest.fixture
    def take(self, tmp_path: Path) -> Take:
        path = tmp_path / "r" / "ledger.db"

        def take(holder: str, now: int, by_force: bool = False) -> Store:
            if path.exists():
                return Store.take(path, holder, now, by_force=by_force)
            return Store.create(path, "r", holder, now)

        return take

    @pytest.fixture
    def kept(self, tmp_path: Path) -> Callable[[], list[Event]]:
        def kept() -> list[Event]:
            with Reader.open(tmp_path / "r" / "ledger.db") as reader:
                return list(reader.events())

        return kept


class TestMemory(LedgerContract):
    @pytest.fixture
    def disk(self) -> Disk:
        return Disk()

    @pytest.fixture
    def take(self, disk: Disk) -> Take:
        return disk.take

    @pytest.fixture
    def kept(self, disk: Disk) -> Callable[[], list[Event]]:
        return lambda: list(disk.events())
