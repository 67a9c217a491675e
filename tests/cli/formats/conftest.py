"""One file with an error and a warning, and what a format writes of them."""

from collections.abc import Callable

import pytest

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked, load
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Place, Spot

ERROR = Finding(
    "capability-exceeds-role",
    Spot(
        ("work_items", "review", "capabilities", 1),
        place=Place(4, 7, 4, 23),
        note="not held by the role",
    ),
    "'repository-write' exceeds role 'reviewer'",
    "write  capabilities: [repository-read]",
    (
        Spot(
            place=Place(2, 5, 2, 17),
            note="role 'reviewer' holds 1: 'repository-read'",
            file="team/roles.yaml",
        ),
    ),
)
WARNING = Finding(
    "unused-role",
    Spot(("roles", "idle"), "key", place=Place(7, 3, 9, 1)),
    "role 'idle' is never used",
    severity="warning",
)


@pytest.fixture
def checked() -> Checked:
    """A faulty file, and one that is sound."""
    return Checked((Report("a.yaml", (ERROR, WARNING), b""), Report("b.yaml", (), b"")), (), 1)


@pytest.fixture
def written() -> Callable[[str, Checked], str]:
    """The whole output of a format, as a file has it."""
    return lambda form, checked: "\n".join(load(form).write(checked, Terminal()))


@pytest.fixture
def unselected() -> Checked:
    """A file without findings of the selected rules, and with two errors of others."""
    return Checked((Report("a.yaml", (), b"", unshown=2),), (), 1)
