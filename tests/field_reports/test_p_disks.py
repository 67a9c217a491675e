"""Disks that are full or read-only, homes that are not there, and files that were cut."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.field_reports.processes import Forge

HELLO = "forge: 1\nwork_items: {a: {run: [echo, hello], capabilities: []}}\n"
LOUD = """forge: 1
work_items:
  first: {run: [echo, first], capabilities: []}
  loud: {script: "head -c 3000000 /dev/urandom | base64", capabilities: [], depends_on: [first]}
"""
SMALL = "size=1m"
Mount = Callable[..., Forge]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts file systems in memory at `disk` below the test's folder."""
    if os.geteuid():
        pytest.skip("only root can mount a small or a read-only disk")
    disk = tmp_path / "disk"
    disk.mkdir()

    def mounted(options: str) -> Forge:
        argv = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"this system lets root mount nothing: {done.stderr.strip()}")
        return Forge(disk)

    yield mounted
    subprocess.run(["umount", "--lazy", str(disk)], capture_output=True, check=False)


def read_only(forge: Forge) -> None:
    """Let nothing be written there any more."""
    subprocess.run(["mount", "-o", "remount,ro", str(forge.folder)], check=True)


def fill(forge: Forge) -> Path:
    """Take all the space that is left."""
    filler = forge.folder / "filler"
    script = 'exec cat /dev/zero > "$0"'
    argv = ["sh", "-c", script, str(filler)]
    assert subprocess.run(argv, stderr=subprocess.DEVNULL, check=False).returncode
    return filler


def test_a_disk_that_fills_up_during_a_run_is_told_as_such(mount: Mount) -> None:
    """jwbron/egg#1510, zuston/riffle#589: accepted and vanished; told as corruption."""
    forge = mount(SMALL)
    forge.write("m.forge.yaml", LOUD)
    said = forge("run", "m.forge.yaml")
    assert said.code == 2
    assert "cannot be written: the disk is full; free some space" in said.err


def test_what_was_recorded_before_the_disk_was_full_is_intact(mount: Mount) -> None:
    """jwbron/egg#1510: the state file was empty afterwards."""
    forge = mount(SMALL)
    forge.write("m.forge.yaml", LOUD)
    forge("run", "m.forge.yaml")
    shown = forge("show")
    assert shown.code == 0
    assert "1 of 2 items accepted" in shown.out
    assert "ABANDONED" in shown.out


def test_a_run_that_could_not_begin_leaves_nothing(mount: Mount) -> None:
    forge = mount(SMALL)
    forge.write("m.forge.yaml", HELLO)
    assert forge("run", "m.forge.yaml", "--run-id", "before").code == 0
    filler = fill(forge)
    said = forge("run", "m.forge.yaml", "--run-id", "during")
    assert said.code == 2
    assert "the disk is full" in said.err
    filler.unlink()
    assert "unreadable" not in forge("runs").out
    assert forge("verify", "evidence").code == 0
    assert forge("run", "m.forge.yaml", "--run-id", "during").code == 0


def test_a_read_only_workspace_is_told_as_such(mount: Mount) -> None:
    """Aider-AI/aider#2865, rnpgp/rnp#2213: EROFS is no PermissionError."""
    forge = mount("size=8m")
    forge.write("m.forge.yaml", HELLO)
    assert forge("run", "m.forge.yaml").code == 0
    read_only(forge)
    said = forge("run", "m.forge.yaml")
    assert said.code == 2
    assert "the file system is read-only" in said.err


PAUSING = """forge: 1
work_items:
  a: {run: [echo, hello], capabilities: []}
  b: {run: [echo, done], capabilities: [], depends_on: [a], approval: required}
"""


@pytest.mark.parametrize(
    ("hinder", "sentence"),
    [(fill, "the disk is full"), (read_only, "the file system is read-only")],
)
def test_a_run_that_cannot_go_on_for_the_disk_is_as_it_was(
    mount: Mount, hinder: Callable[[Forge], object], sentence: str
) -> None:
    forge = mount(SMALL)
    forge.write("m.forge.yaml", PAUSING)
    assert forge("run", "m.forge.yaml", "--run-id", "r").code == 4
    shown = forge("show", "r").out
    hinder(forge)
    said = forge("resume", "r", "--deny", "b")
    assert said.code == 2
    assert sentence in said.err
    subprocess.run(["mount", "-o", "remount,rw", str(forge.folder)], check=True)
    (forge.folder / "filler").unlink(missing_ok=True)
    assert forge("show", "r").out == shown
    assert forge("resume", "r", "--deny", "b").code == 1
    assert forge("verify", "evidence").code == 0


def test_reading_needs_no_writing(mount: Mount) -> None:
    """cta-observatory/ctapipe#1670, kovidgoyal/kitty#2199: start-up failed."""
    forge = mount("size=8m")
    forge.write("m.forge.yaml", HELLO)
    forge("run", "m.forge.yaml")
    read_only(forge)
    for arguments in (["validate"], ["plan"], ["runs"], ["show"], ["verify", "evidence"]):
        assert forge(*arguments, env={"HOME": "/nonexistent"}).code == 0, arguments


def test_a_limit_on_file_size_is_told_as_such(forge: Forge) -> None:
    forge.write("m.forge.yaml", LOUD)
    program = (
        "import resource, runpy, sys;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "sys.argv[:1] = ['forge'];"
        "runpy.run_module('forge_cli', run_name='__main__')"
    )
    said = forge("run", "m.forge.yaml", program=[sys.executable, "-c", program])
    assert said.code == 2
    assert "cannot be written: a limit on file size is reached" in said.err
    assert forge("show").code == 0


@pytest.mark.parametrize(
    "env", [{"HOME": "/nonexistent"}, {"TMPDIR": "/nonexistent"}, {"TMPDIR": "/proc"}], ids=str
)
def test_only_the_content_decides_whatever_home_and_tmpdir_are(
    forge: Forge, env: dict[str, str]
) -> None:
    """Aider-AI/aider#5452: start-up died because HOME could not be written."""
    forge.write("m.forge.yaml", HELLO)
    assert forge("validate", env=env).code == 0
    assert forge("run", "m.forge.yaml", env=env).code == 0


@pytest.mark.parametrize("name", ["plan.json", "events.jsonl", "run.json", "environment.json"])
def test_a_file_of_no_length_is_as_good_as_missing(forge: Forge, name: str) -> None:
    """Velocidex/velociraptor#2885: a zero-length file was taken for present."""
    forge.write("m.forge.yaml", HELLO)
    forge("run", "m.forge.yaml", "--evidence", "kept")
    forge.write(f"kept/{name}", "")
    said = forge("verify", "kept")
    assert said.code == 1
    assert f"{name} is empty, which is as good as missing" in said.out


@pytest.mark.parametrize("length", [0, 50, 4096, 10_000])
def test_a_ledger_that_was_cut_is_damaged_and_not_full(forge: Forge, length: int) -> None:
    """zuston/riffle#589: a full disk and corruption are two reasons."""
    forge.write("m.forge.yaml", HELLO)
    forge("run", "m.forge.yaml", "--run-id", "whole")
    forge("run", "m.forge.yaml", "--run-id", "cut")
    os.truncate(forge.folder / ".forge/runs/cut/ledger.db", length)
    said = forge("show", "cut")
    assert said.code == 2
    assert "is damaged" in said.err
    listed = forge("runs")
    assert listed.code == 2
    assert "unreadable" in listed.out
    assert "complete" in listed.out
    assert "is damaged" in listed.err
    assert forge("show", "whole").code == 0
