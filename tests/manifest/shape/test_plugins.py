"""Handlers of plug-ins: what forge judges of them, what the plug-in does, what the rules see."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.manifest.shape.structure import Structure, structure

Install = Callable[..., Path]

SOURCE = """
class Shell:
    settings = {"properties": {"flags": {"items": {"type": "string"}}, "scope": {"enum": ["all"]}}}
    async def run(self, turn): ...
"""


@pytest.fixture
def installed(install: Install) -> None:
    install("acme", "acme-shell = acme_shell_2:Shell", acme_shell_2=SOURCE)


def manifest(**keys: Any) -> dict[str, Any]:
    return {
        "forge": 1,
        "roles": {"a": {"capabilities": [], "handler": {"kind": "acme-shell", **keys}}},
        "work_items": {"a": {"role": "a"}},
    }


def told(found: Structure) -> list[tuple[Any, ...]]:
    return [(error.rule, error.path[3:]) for error in found.errors]


@pytest.mark.usefixtures("installed")
def test_its_settings_are_kept_apart_from_forges_own_keys() -> None:
    found = structure(manifest(flags=["-e"], grace="1s", max_usage={"model_calls": 1}))
    assert told(found) == []
    assert found.data["roles"]["a"]["handler"] == {
        "kind": "acme-shell",
        "plug_in": "acme 1.0",
        "grace": "1s",
        "max_usage": {"model_calls": 1},
        "settings": {"flags": ["-e"]},
    }


@pytest.mark.usefixtures("installed")
def test_faults_of_both_are_told_with_their_places() -> None:
    found = structure(manifest(flags=["-e", 1], scope="some", grace=5, max_usage={"model": 1}))
    assert set(told(found)) == {
        ("wrong-type", ("grace",)),
        ("unknown-key", ("max_usage", "model")),
        ("bad-setting", ("flags", 1)),
        ("bad-setting", ("scope",)),
    }


@pytest.mark.usefixtures("installed")
def test_each_role_is_told_its_own_faults() -> None:
    data = manifest(flags=[])
    data["roles"]["b"] = {"capabilities": [], "handler": {"kind": "acme-shell", "flags": [1]}}
    found = structure(data)
    assert [error.path for error in found.errors] == [("roles", "b", "handler", "flags", 0)]


def test_one_that_cannot_be_used_is_told_at_its_kind(install: Install) -> None:
    install("acme", "acme-shell = no_such_module:Shell")
    (error,) = structure(manifest(anything=[1])).errors
    assert (error.rule, error.path[-1], error.key) == ("broken-plug-in", "kind", "acme 1.0")
    assert error.reason.startswith("'no_such_module' cannot be imported: ModuleNotFoundError")


def test_a_kind_that_nobody_has_is_unknown() -> None:
    assert told(structure(manifest())) == [("unknown-kind", ("kind",))]


def test_plug_ins_are_not_looked_for_where_none_is_used(install: Install) -> None:
    install("acme", "command = no_such_module:Shell")
    data = manifest()
    data["roles"]["a"]["handler"] = {"kind": "command", "argv": ["true"]}
    assert structure(data).errors == ()
