import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli.errors import ForgeError
from forge_cli.ledger import holders, leases, schema
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.store import Store
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.events import Event

NOW = 1_796_047_923_000


def test_events_come_back_as_they_were_appended(store: Store, events: list[Event]) -> None:
    store.append(events[:1])
    store.append(events[1:])
    assert list(store.events()) == events


def test_lines_are_chained_across_appends(store: Store, events: list[Event]) -> None:
    store.append(events[:1])
    store.append(events[1:])
    assert list(store.lines()) == list(seal(events, 1, GENESIS))


def test_a_reader_sees_what_was_appended_while_the_writer_goes_on(
    store: Store, events: list[Event]
) -> None:
    with Reader.open(store.path) as reader:
        assert reader.last() is None
        store.append(events)
        assert [line.event for line in reader.lines(after=1)] == events[1:]
        assert reader.meta() == {"run": "r-1", "created": str(NOW), "manifest": "m.yaml"}


def test_the_head_is_the_root_and_size_over_the_lines(store: Store, events: list[Event]) -> None:
    store.append(events[:2])
    store.head()
    store.append(events[2:])
    tree = Tree()
    for line in seal(events, 1, GENESIS):
        tree.add(line.text.encode())
    assert store.head() == (tree.root(), 3)


def test_a_run_is_not_created_twice(store: Store, path: Path) -> None:
    with pytest.raises(ForgeError, match="run 'r-1' exists already"):
        Store.create(path, "r-1", "me", NOW)


def test_a_new_ledger_is_at_its_place_as_a_whole_or_not_at_all(path: Path) -> None:
    with pytest.raises(ForgeError, match="is damaged"):
        Store.create(path, "r-1", "me", NOW, {"manifest": object()})  # type: ignore[dict-item]
    assert not path.parent.exists()


def test_a_second_controller_is_refused_while_the_lease_holds(store: Store, path: Path) -> None:
    with pytest.raises(ForgeError, match="held by pid 1 on here, its lease lasts until 2026-11-30"):
        Store.take(path, "pid 2", NOW + leases.SPAN - 1)


def test_a_lease_that_lapsed_is_taken_with_the_next_epoch(
    store: Store, path: Path, events: list[Event]
) -> None:
    store.append(events[:1])
    with Store.take(path, "pid 2", NOW + leases.SPAN) as second:
        second.append(events[1:])
        lease = second.lease()
        assert list(second.lines()) == list(seal(events, 1, GENESIS))
    assert lease == leases.Lease("pid 2", 2, NOW + 2 * leases.SPAN)


def test_a_fenced_controller_writes_nothing_more(
    store: Store, path: Path, events: list[Event]
) -> None:
    with Store.take(path, "pid 2", NOW + leases.SPAN) as second:
        with pytest.raises(ForgeError, match="'r-1' was taken over by pid 2"):
            store.append(events)
        with pytest.raises(ForgeError, match="'r-1' was taken over by pid 2"):
            store.renew(NOW)
        assert list(second.events()) == []


def test_a_renewed_lease_holds_longer(store: Store, path: Path) -> None:
    store.renew(NOW + 1000)
    with pytest.raises(ForgeError, match="is held by"):
        Store.take(path, "pid 2", NOW + leases.SPAN)


def test_a_released_lease_can_be_taken_at_once(store: Store, path: Path) -> None:
    store.release()
    Store.take(path, "pid 2", NOW).close()


def test_every_commit_is_synced_in_full(store: Store) -> None:
    connection = store._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_an_empty_file_is_damaged(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    with pytest.raises(ForgeError, match="is damaged: it is empty"):
        Reader.open(path)


def test_a_missing_ledger_is_named(path: Path) -> None:
    with pytest.raises(ForgeError, match=r"there is no ledger at '.*ledger\.db'"):
        Reader.open(path)


def test_a_folder_in_its_place_cannot_be_read(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ForgeError, match="cannot be read: Is a directory"):
        Reader.open(path)


def test_another_programs_file_is_foreign(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("this is text, and long enough to have no header")
    with pytest.raises(ForgeError, match="not a ledger of forge: it has no SQLite header"):
        Reader.open(path)


def test_another_programs_database_is_foreign(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE events (seq)")
    other.close()
    with pytest.raises(ForgeError, match=f"application id is 0, not {schema.APPLICATION_ID}"):
        Store.take(path, "me", NOW)


def test_a_later_version_is_refused_with_both_numbers(store: Store, path: Path) -> None:
    store._connection.execute("PRAGMA user_version = 2")
    with pytest.raises(ForgeError, match="has version 2, and this forge knows versions up to 1"):
        Reader.open(path)


def test_a_ledger_in_the_folder_of_another_run_is_refused_with_both_names(
    store: Store, path: Path
) -> None:
    store.close()
    other = path.parents[1] / "r-2" / "ledger.db"
    other.parent.mkdir()
    other.write_bytes(path.read_bytes())
    sentence = "is that of run 'r-1', and lies in the folder of run 'r-2'"
    with pytest.raises(ForgeError, match=sentence):
        Reader.open(other)
    with pytest.raises(ForgeError, match=sentence):
        Store.take(other, "me", NOW)


def test_a_ledger_that_another_process_keeps_for_itself_is_said_to_be_so(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "PATIENCE", 0.0)
    store.close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ForgeError, match="is locked by another process"):
        Reader.open(path)
    other.close()
    Reader.open(path).close()


def test_a_truncated_ledger_is_damaged(store: Store, path: Path, events: list[Event]) -> None:
    store.append(events * 50)
    store.close()
    path.write_bytes(path.read_bytes()[:8192])
    with pytest.raises(ForgeError, match=r"is damaged: .*truncated"), Reader.open(path) as reader:
        list(reader.events())


@pytest.mark.parametrize(
    "change",
    ["UPDATE events SET item = 'x' WHERE seq = 2", "DELETE FROM events WHERE seq = 2"],
)
def test_an_event_that_is_not_the_one_that_was_recorded_is_damage(
    store: Store, events: list[Event], change: str
) -> None:
    store.append(events)
    assert list(store.sound()) == events
    store._connection.execute(change)
    with pytest.raises(ForgeError, match="is damaged: event 2 is not the one that was recorded"):
        list(store.sound())


@pytest.mark.parametrize(
    "change", ["body = '[]'", "body = 'no JSON'", "body = CAST(x'ff' AS TEXT)", "time = 1 << 62"]
)
def test_a_row_that_is_no_event_is_damage(
    store: Store, path: Path, events: list[Event], change: str
) -> None:
    store.append(events)
    store._connection.execute(f"UPDATE events SET {change} WHERE seq = 3")
    with Reader.open(path) as reader:
        with pytest.raises(ForgeError, match="is damaged"):
            list(reader.lines())
        with pytest.raises(ForgeError, match="is damaged"):
            reader.last()


def test_a_ledger_that_another_process_has_locked_is_said_to_be_so(
    store: Store, path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    store._connection.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ForgeError, match="is locked by another process"):
        store.append(events)
    other.close()
    store.append(events)
    assert list(store.events()) == events


FILLER = """
import resource, sys
from pathlib import Path
from forge_cli.errors import ForgeError
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event

store = Store.create(Path(sys.argv[1]) / "r-1" / "ledger.db", "r-1", "me", 0)
kept = 0
try:
    while True:
        store.append([Event(0, "turn_ended", body={"output": "x" * 10_000})] * 4)
        kept += 4
except ForgeError as fault:
    print(kept, fault)
"""


def fill(command: list[str], folder: Path) -> tuple[int, str]:
    """How many events a process says it kept before the disk refused, and its sentence."""
    arguments = [*command, sys.executable, "-c", FILLER, str(folder)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    kept, sentence = done.stdout.split(" ", 1)
    return int(kept), sentence


def can_mount() -> bool:
    return (
        subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not can_mount(), reason="needs a mount namespace")
def test_a_full_disk_is_named_and_what_was_kept_stays(tmp_path: Path) -> None:
    shell = 'mount -t tmpfs -o size=1m none "$0" && "$@" && cp -r "$0/r-1" "$0/../r-1"'
    folder = tmp_path / "disk"
    folder.mkdir()
    kept, sentence = fill(["unshare", "-rm", "sh", "-c", shell, str(folder)], folder)
    assert "the disk is full" in sentence
    with Reader.open(tmp_path / "r-1" / "ledger.db") as reader:
        assert len(list(reader.events())) == kept > 0


@pytest.mark.skipif(not can_mount(), reason="needs a mount namespace")
def test_a_read_only_file_system_is_named(tmp_path: Path) -> None:
    shell = 'mount -t tmpfs -o ro none "$0" && exec "$@"'
    arguments = ["unshare", "-rm", "sh", "-c", shell, str(tmp_path), sys.executable, "-c"]
    opening = (
        "from pathlib import Path; import sys\n"
        "from forge_cli.errors import ForgeError\n"
        "from forge_cli.ledger.store import Store\n"
        "try:\n    Store.create(Path(sys.argv[1]) / 'r-1' / 'ledger.db', 'r-1', 'me', 0)\n"
        "except ForgeError as fault:\n    print(fault)\n"
    )
    done = subprocess.run(
        [*arguments, opening, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "the file system is read-only" in done.stdout


def test_a_ledger_is_read_where_nothing_can_be_written(
    store: Store, path: Path, events: list[Event]
) -> None:
    store.append(events)
    store.close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    with Reader.open(path) as reader:
        assert list(reader.events()) == events
    path.parent.chmod(0o755)


def test_a_ledger_that_was_removed_is_noticed_when_the_lease_is_renewed(store: Store) -> None:
    store.renew(NOW + 1)
    store.path.unlink()
    with pytest.raises(ForgeError, match="was removed or replaced while the run was going on"):
        store.renew(NOW + 2)


def test_a_ledger_that_was_replaced_by_a_copy_is_noticed(store: Store) -> None:
    data = store.path.read_bytes()
    store.path.rename(store.path.with_name("moved.db"))
    store.path.write_bytes(data)
    with pytest.raises(ForgeError, match="was removed or replaced"):
        store.check_place()


def test_the_lease_of_a_process_that_is_gone_is_taken_at_once(path: Path) -> None:
    gone = f"{socket.gethostname()}:1:0"
    Store.create(path, "r-1", gone, NOW).close()
    with Store.take(path, "pid 2", NOW + 1) as second:
        assert second.epoch == 2


def test_no_clock_takes_the_lease_of_a_process_that_is_at_work(path: Path) -> None:
    with Store.create(path, "r-1", holders.here(), NOW) as first:
        refused = rf"held by process {os.getpid()} .* which is at work; wait until it is done"
        with pytest.raises(ForgeError, match=refused):
            Store.take(path, "pid 2", NOW + 10 * leases.SPAN)
        first.release()
        Store.take(path, "pid 2", NOW).close()


def test_a_lease_is_taken_by_force(store: Store, path: Path, events: list[Event]) -> None:
    with Store.take(path, "pid 2", NOW + 1, by_force=True) as second:
        second.append(events[:1])
        with pytest.raises(ForgeError, match="run 'r-1' was taken over by pid 2"):
            store.append(events)


def test_a_lease_that_was_put_back_is_held_as_before(
    store: Store, path: Path, events: list[Event]
) -> None:
    with Store.take(path, "pid 2", NOW + 1, by_force=True) as second:
        second.put_back()
        store.append(events)
        with pytest.raises(ForgeError, match="was taken over by pid 1"):
            second.append(events)
