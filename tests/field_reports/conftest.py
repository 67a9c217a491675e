"""A folder of its own for each test, and forge in it."""

from pathlib import Path

import pytest

from tests.field_reports.processes import Forge


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    """Forge as a process in an empty folder."""
    return Forge(tmp_path)
