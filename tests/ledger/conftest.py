from collections.abc import Iterator
from pathlib import Path

import pytest

from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event

NOW = 1_796_047_923_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "r-1" / "ledger.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, "r-1", "pid 1 on here", NOW, {"manifest": "m.yaml"}) as store:
        yield store


@pytest.fixture
def events() -> list[Event]:
    return [
        Event(NOW, "run_started", body={"run": "r-1", "inputs": {"who": "Zoë"}}),
        Event(NOW + 1, "turn_started", "greet", "r-1/greet/1", {"number": 1}),
        Event(NOW + 5, "turn_ended", "greet", "r-1/greet/1", {"output": {"result": "hi\n"}}),
    ]
