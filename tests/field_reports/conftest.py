"""A folder of its own for each test, and forge in it."""

from pathlib import Path

import pytest

from tests.field_reports.processes import Forge


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    """Forge as a process in an empty folder."""
    return Forge(tmp_path)


@pytest.fixture(autouse=True)
def unheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let handlers do their worst: what a sandbox keeps them from is tried elsewhere."""
    monkeypatch.setenv("FORGE_SANDBOX", "off")
