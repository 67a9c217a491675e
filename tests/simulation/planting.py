"""How bugs are planted into machine, ledger and engine, each for one test."""

from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.run_state import RunState
from tests.simulation.play import Ways

Plant = Callable[[pytest.MonkeyPatch], Ways]


def patched(*targets: str, by: Any) -> Plant:
    """A bug that stands in for these names of modules of the core and its shells."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        for target in targets:
            patch.setattr(f"forge_cli.{target}", by)
        return Ways()

    return plant


def method(owner: type, name: str, by: Any) -> Plant:
    """A bug that stands in for a method."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        patch.setattr(owner, name, by)
        return Ways()

    return plant


def fold(kind: str, wrap: Callable[[RunState, Event, Callable[..., None]], None]) -> Plant:
    """A bug in how one kind of event is folded; it is given how it should be."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        right = RunState._FOLDS[kind]
        folds = {**RunState._FOLDS, kind: lambda state, event: wrap(state, event, right)}
        patch.setattr(RunState, "_FOLDS", folds)
        return Ways()

    return plant


def ways(**made: Any) -> Plant:
    """A bug in what the world is made of."""
    return lambda _: Ways(**made)
