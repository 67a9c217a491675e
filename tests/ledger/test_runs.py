import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli.errors import ForgeError
from forge_cli.ledger import holders, leases, runs
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for run_id, created in (("b-7f3a", 10), ("a-91aa", 20), ("c-003a", 15)):
        run = runs.new(tmp_path, run_id)
        Store.create(run.ledger, run_id, "pid 1", created).close()
    return tmp_path


def test_forges_folder_ignores_itself_in_git(workspace: Path) -> None:
    assert (workspace / ".forge" / ".gitignore").read_text() == "*\n"


def test_runs_are_listed_by_when_they_began(workspace: Path) -> None:
    assert [run.run_id for run in runs.every(workspace)] == ["b-7f3a", "c-003a", "a-91aa"]
    assert runs.latest(workspace).run_id == "a-91aa"


def test_a_run_is_found_by_any_end_of_its_id_that_is_unique(workspace: Path) -> None:
    assert runs.find(workspace, "7f3a").run_id == "b-7f3a"
    assert runs.find(workspace, "a-91aa").run_id == "a-91aa"


def test_an_end_of_several_ids_names_them(workspace: Path) -> None:
    with pytest.raises(ForgeError, match="'3a' is the end of 2 runs: b-7f3a, c-003a"):
        runs.find(workspace, "3a")


@pytest.mark.parametrize("end", ["zzz", ""])
def test_an_unknown_end_lists_what_is_there(workspace: Path, end: str) -> None:
    with pytest.raises(ForgeError, match="b-7f3a, c-003a, a-91aa"):
        runs.find(workspace, end)


def test_a_workspace_without_runs_says_so(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="there are no runs"):
        runs.latest(tmp_path)


def test_a_damaged_ledger_does_not_hide_the_others(workspace: Path) -> None:
    runs.find(workspace, "7f3a").ledger.write_bytes(b"")
    assert [run.run_id for run in runs.every(workspace)] == ["b-7f3a", "c-003a", "a-91aa"]
    with pytest.raises(ForgeError, match="it is empty"):
        runs.status(runs.find(workspace, "7f3a"), 0)


def test_a_run_without_an_end_is_running_until_its_lease_lapses(workspace: Path) -> None:
    run = runs.find(workspace, "7f3a")
    assert runs.status(run, 10 + leases.SPAN - 1) == "running"
    assert runs.status(run, 10 + leases.SPAN) == "abandoned"


def test_a_run_whose_process_on_this_host_has_ended_is_abandoned_at_once(tmp_path: Path) -> None:
    program = "from forge_cli.ledger import holders; print(holders.here())"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    statuses = {}
    for run_id, holder in (("dead", ended.stdout.strip()), ("alive", holders.here())):
        run = runs.new(tmp_path, run_id)
        Store.create(run.ledger, run_id, holder, 10).close()
        statuses[run_id] = runs.status(run, 11)
    assert statuses == {"dead": "abandoned", "alive": "running"}


def test_a_run_that_ended_has_the_status_of_its_end(workspace: Path) -> None:
    run = runs.find(workspace, "7f3a")
    with Store.take(run.ledger, "pid 2", 10 + leases.SPAN) as store:
        store.append([Event(11, "run_ended", body={"status": "complete", "missing": []})])
    assert runs.status(run, 12) == "complete"
