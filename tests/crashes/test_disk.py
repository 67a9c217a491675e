"""What the model of a disk may find after the power failed."""

import random
from pathlib import Path

from tests.crashes.disk import SECTOR, Disk
from tests.crashes.operations import Operation

TOP = Path("/top")
CHANCE = random.Random(1)


def disk(*operations: Operation) -> Disk:
    made = Disk(TOP)
    for operation in operations:
        made.do(operation)
    return made


MADE = Operation("make", "/top/a")
WRITTEN = Operation("write", "/top/a", b"x" * 4 * SECTOR)
SYNCED = Operation("sync", "/top/a")
NAMED = Operation("sync_folder", "/top")


def test_a_name_that_was_not_synced_may_be_missing_though_its_content_was_synced() -> None:
    assert disk(MADE, WRITTEN, SYNCED).after_power_loss(CHANCE, 0) == {}


def test_content_that_was_not_synced_may_be_missing_though_its_name_is_there() -> None:
    assert disk(MADE, WRITTEN, NAMED).after_power_loss(CHANCE, 0) == {"a": b""}


def test_everything_may_be_there_that_was_done() -> None:
    assert disk(MADE, WRITTEN).after_power_loss(CHANCE, 1) == {"a": b"x" * 4 * SECTOR}


def test_what_was_synced_is_there() -> None:
    assert disk(MADE, WRITTEN, SYNCED, NAMED).after_power_loss(CHANCE, 0) == {
        "a": b"x" * 4 * SECTOR
    }


def test_a_write_may_be_cut_at_a_sector() -> None:
    torn = disk(MADE, NAMED, WRITTEN)
    found = {len(torn.after_power_loss(random.Random(n), 0.5)["a"] or b"") for n in range(100)}
    assert found == {number * SECTOR for number in range(5)}


def test_a_rename_is_there_as_a_whole_or_not_at_all() -> None:
    renamed = disk(MADE, WRITTEN, SYNCED, NAMED, Operation("rename", "/top/a", other="/top/b"))
    found = [set(renamed.after_power_loss(random.Random(n), 0.5)) for n in range(20)]
    assert {"a"} in found
    assert {"b"} in found
    assert {"a", "b"} not in found


def test_a_file_in_a_folder_whose_name_was_lost_is_lost() -> None:
    folder = Operation("make_folder", "/top/f")
    inner = [Operation("make", "/top/f/a"), Operation("sync_folder", "/top/f")]
    assert disk(folder, *inner).after_power_loss(CHANCE, 0) == {}


def test_a_file_that_was_removed_may_be_there_again() -> None:
    removed = disk(MADE, WRITTEN, SYNCED, NAMED, Operation("remove", "/top/a"))
    assert set(removed.after_power_loss(CHANCE, 0)) == {"a"}
    assert removed.after_power_loss(CHANCE, 1) == {}
