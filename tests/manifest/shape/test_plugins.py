"""Handler kinds of installed distributions are known by name; nothing of them is imported."""

from pathlib import Path

import pytest

from forge_cli.manifest.shape.plugins import is_installed
from forge_cli.manifest.shape.structure import structure


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A distribution that offers a kind from a module which is not there."""
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[forge.handlers]\nacme-shell = no_such_module:run\n")
    monkeypatch.syspath_prepend(tmp_path)
    return "acme-shell"


def test_a_plug_in_is_found_by_the_name_of_its_entry_point(installed: str) -> None:
    assert is_installed(installed)
    assert not is_installed("acme")


def test_a_handler_of_an_installed_kind_is_judged_by_its_plug_in_alone(installed: str) -> None:
    handler = {"kind": installed, "anything": [1]}
    data = {
        "forge": 1,
        "roles": {"a": {"capabilities": [], "handler": handler}},
        "work_items": {"a": {"role": "a"}},
    }
    found = structure(data)
    assert found.errors == ()
    assert found.data["roles"]["a"]["handler"] == {"kind": installed}
