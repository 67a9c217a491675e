"""A program that stops what watches over it gains nothing: its tree ends all the same."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from forge_cli.gateway import force, tree
from forge_cli.gateway.processes import Process, Processes, Program
from tests.gateway.programs import SECONDS, told, use, wait_for_the_end_of

STOP_THE_WARDEN = "read _ _ _ warden _ < /proc/$PPID/stat; kill -STOP $warden;"


def start(processes: Processes, script: str, folder: Path, grace: float = 5.0) -> Process:
    environment = {"PATH": os.environ["PATH"]}
    null = os.open(os.devnull, os.O_RDWR)
    program = Program("/bin/sh", ["sh", "-c", script], environment, str(folder), grace)
    process = processes.start(program, [null, null, null])
    os.close(null)
    return process


def test_a_stopped_guard_is_told_and_its_tree_ends(tmp_path: Path, fifo: Path) -> None:
    async def scenario(processes: Processes) -> None:
        process = start(processes, "echo $$ > fifo; kill -STOP $PPID; sleep 600", tmp_path)
        pid = int(await told(fifo))
        assert (await asyncio.wait_for(process.ended, SECONDS)).lost
        wait_for_the_end_of(pid)

    use(scenario)


def test_seeing_off_is_bounded_where_guard_and_warden_are_stopped(
    tmp_path: Path, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forge_cli.gateway.processes.PATIENCE", 0.2)
    script = f"{STOP_THE_WARDEN} kill -STOP $PPID; echo $$ > fifo; sleep 600"

    async def scenario(processes: Processes) -> None:
        process = start(processes, script, tmp_path, grace=0.1)
        pid = int(await told(fifo))
        assert (await asyncio.wait_for(process.see_off(), SECONDS)).lost
        wait_for_the_end_of(pid)

    use(scenario)


def test_a_stopped_warden_goes_on_with_the_next_program(tmp_path: Path) -> None:
    async def scenario(processes: Processes) -> None:
        first = start(processes, STOP_THE_WARDEN, tmp_path)
        assert (await asyncio.wait_for(first.ended, SECONDS)).status == 0
        second = start(processes, "exit 5", tmp_path)
        assert (await asyncio.wait_for(second.ended, SECONDS)).status == 5

    use(scenario)


def test_a_later_process_with_the_guards_pid_is_left_alone(tmp_path: Path, fifo: Path) -> None:
    async def scenario(processes: Processes) -> None:
        process = start(processes, "echo $$ > fifo; exec cat fifo", tmp_path)
        seen = tree.look(int(await told(fifo)))
        assert seen
        force.end(seen._replace(started=seen.started - 1))
        await asyncio.to_thread(fifo.write_text, "go on")
        assert (await asyncio.wait_for(process.ended, SECONDS)).status == 0

    use(scenario)


def test_whatever_is_below_a_process_can_be_ended(tmp_path: Path, fifo: Path) -> None:
    async def scenario(processes: Processes) -> None:
        process = start(processes, "(echo $$ > fifo; sleep 600) & wait", tmp_path)
        pid = int(await told(fifo))
        force.end_below(pid)
        assert (await asyncio.wait_for(process.ended, SECONDS)).status is not None
        wait_for_the_end_of(pid)

    use(scenario)


def test_a_guard_whose_warden_has_just_ended_is_ended_all_the_same(
    tmp_path: Path, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(processes: Processes) -> None:
        process = start(processes, "echo $$ > fifo; sleep 600", tmp_path)
        program = tree.look(int(await told(fifo)))
        assert program
        guard = tree.look(program.parent)
        assert guard
        look = tree.look
        monkeypatch.setattr(tree, "look", lambda pid: None if pid == guard.parent else look(pid))
        force.end(guard)
        # The guard may see its program end, and say so, right before it is ended itself.
        ending = await asyncio.wait_for(process.ended, SECONDS)
        assert ending.lost or ending.status == -signal.SIGKILL
        wait_for_the_end_of(program.pid)

    use(scenario)
