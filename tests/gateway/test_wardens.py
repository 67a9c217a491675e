"""What becomes of programs where what watches over them, or who wanted them, fails."""

import asyncio
import errno
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.errors import ForgeError
from forge_cli.gateway import farewell, processes, tree
from forge_cli.gateway.guard import Guard
from forge_cli.gateway.processes import (
    Confinement,
    ConfinementError,
    Ending,
    Process,
    Processes,
    Program,
)
from tests.gateway.programs import SECONDS, told, use, wait_for_the_end_of

Aside = Callable[[Callable[[], Any]], Any]


def shell(script: str, folder: Path, grace: float = 5.0) -> Program:
    return Program(
        "/bin/sh", ["sh", "-c", script], {"PATH": os.environ["PATH"]}, str(folder), grace
    )


def start(found: Processes, program: Program) -> Process:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        return found.start(program, [null, null, null])
    finally:
        os.close(null)


async def ended(process: Process) -> Ending:
    return await asyncio.wait_for(asyncio.shield(process.ended), SECONDS)


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has wardens begin in a system in which these lines of Python hold."""

    def begin(lines: str) -> None:
        path, _, main = processes.BOOT.rpartition("from ")
        monkeypatch.setattr(processes, "BOOT", f"{path}\n{lines}\nfrom {main}")

    return begin


def test_who_is_asked_or_killed_twice_is_so_once(tmp_path: Path, fifo: Path) -> None:
    script = (
        "trap 'echo asked >> told; echo > fifo' TERM; echo > fifo; while :; do sleep 0.05; done"
    )

    async def scenario(found: Processes) -> None:
        process = start(found, shell(script, tmp_path))
        await told(fifo)
        process.ask()
        process.ask()
        await told(fifo)
        process.kill()
        process.kill()
        assert await ended(process) == Ending(status=-signal.SIGKILL)
        assert (tmp_path / "told").read_text() == "asked\n"

    use(scenario)


@pytest.mark.parametrize("heard", [True, False])
def test_a_tree_ends_when_nobody_is_there_to_be_told(
    tmp_path: Path, fifo: Path, heard: bool
) -> None:
    async def scenario(found: Processes) -> None:
        process = start(found, shell("echo $$ > fifo; sleep 600", tmp_path))
        if heard:
            pid = int(await told(fifo))
            while process.pid is None:
                await asyncio.sleep(0)
        else:
            pid = int(fifo.read_text())  # the loop has not run, so nothing was read
        asyncio.get_running_loop().remove_reader(process._control)
        process._control.close()
        await asyncio.to_thread(wait_for_the_end_of, pid)

    use(scenario)


def test_what_outlives_kill_is_named(
    tmp_path: Path, fifo: Path, begin: Callable[[str], None]
) -> None:
    begin("from forge_cli.gateway import farewell; farewell.INSISTENCE = -1")

    async def scenario(found: Processes) -> None:
        script = "trap '' TERM; echo > fifo; exec sleep 600"
        process = start(found, shell(script, tmp_path, grace=0))
        await told(fifo)
        ending = await asyncio.wait_for(process.see_off(), SECONDS)
        (survivor,) = ending.survivors
        assert (survivor.pid, survivor.name) == (process.pid, "sleep")
        os.kill(survivor.pid, signal.SIGKILL)

    use(scenario)


def test_a_system_without_processes_is_told(tmp_path: Path, begin: Callable[[str], None]) -> None:
    begin("import os\ndef fork(): raise BlockingIOError(11, 'none left')\nos.fork = fork")

    async def scenario(found: Processes) -> None:
        assert await ended(start(found, shell("true", tmp_path))) == Ending(errno=errno.EAGAIN)

    use(scenario)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_program_can_be_given_is_told(tmp_path: Path, text: str) -> None:
    async def scenario(found: Processes) -> None:
        for argv, variables in ((["sh", text], {}), (["sh"], {"A": text})):
            program = Program("/bin/sh", argv, variables, str(tmp_path))
            assert await ended(start(found, program)) == Ending(errno=errno.EINVAL, place="/bin/sh")

    use(scenario)


def test_a_program_whose_guard_fails_is_lost_and_no_other_is(
    tmp_path: Path, begin: Callable[[str], None]
) -> None:
    begin(
        "import os\nspawn = os.posix_spawn\n"
        "def fails(path, argv, env, **more):\n"
        "    if argv == ['fails']: raise MemoryError\n"
        "    return spawn(path, argv, env, **more)\n"
        "os.posix_spawn = fails"
    )

    async def scenario(found: Processes) -> None:
        program = Program("/bin/sh", ["fails"], {}, str(tmp_path))
        assert (await ended(start(found, program))).lost
        assert (await ended(start(found, shell("exit 5", tmp_path)))).status == 5

    use(scenario)


def test_what_was_stopped_when_its_guard_was_killed_ends_with_it(
    tmp_path: Path, fifo: Path
) -> None:
    script = "sleep 600 & kill -STOP $!; echo $! > fifo; kill -KILL $PPID; wait"

    async def scenario(found: Processes) -> None:
        process = start(found, shell(script, tmp_path))
        pid = int(await told(fifo))
        assert (await ended(process)).lost
        await asyncio.to_thread(wait_for_the_end_of, pid)

    use(scenario)


def test_a_warden_whose_programs_do_not_end_is_ended_with_them(
    tmp_path: Path, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "INSISTENCE", 0.1)

    async def scenario(found: Processes) -> None:
        process = start(found, shell("echo $$ > fifo; sleep 600", tmp_path))
        pid = int(await told(fifo))
        found.close()
        assert (await ended(process)).lost
        await asyncio.to_thread(wait_for_the_end_of, pid)

    use(scenario)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wardens have ended before they are asked for anything."""
    monkeypatch.setattr(processes, "BOOT", "raise SystemExit('no room')")
    monkeypatch.setattr(processes._Warden, "wake", lambda warden: warden.process.wait())


@pytest.mark.usefixtures("hasty")
def test_wardens_that_end_as_soon_as_they_are_started_are_told(tmp_path: Path) -> None:
    async def scenario(found: Processes) -> None:
        with pytest.raises(ForgeError, match="ends as soon as it is started"):
            start(found, shell("true", tmp_path))
        assert found.complaint() == "no room"

    use(scenario)


@pytest.mark.usefixtures("hasty")
def test_a_sandbox_that_ends_before_anything_is_in_it_is_told_with_its_words(
    tmp_path: Path,
) -> None:
    async def scenario(found: Processes) -> None:
        with pytest.raises(ConfinementError, match="its sandbox could not be made: no room"):
            start(found, shell("true", tmp_path))

    use(scenario, Processes(confinement=Confinement("", (), {})))


def test_a_sandbox_that_is_no_program_is_told(tmp_path: Path) -> None:
    async def scenario(found: Processes) -> None:
        with pytest.raises(ForgeError, match="programs cannot be started here: No such file"):
            start(found, shell("true", tmp_path))
        assert (found.usable, found.complaint()) == (True, "")

    use(scenario, Processes(confinement=Confinement(str(tmp_path / "missing"), (), {})))


def test_what_wraps_a_warden_and_ends_without_a_word_is_told_by_its_status(
    tmp_path: Path,
) -> None:
    wrapper = tmp_path / "wrapper"
    wrapper.write_text("#!/bin/sh\n/usr/bin/head -c 1 > /dev/null\nexit 3\n")
    wrapper.chmod(0o755)

    async def scenario(found: Processes) -> None:
        assert (await ended(start(found, shell("true", tmp_path)))).lost
        assert found._warden
        found._warden.process.wait(timeout=SECONDS)
        assert (found.usable, found.complaint()) == (False, "exit status 3")

    use(scenario, Processes(confinement=Confinement(str(wrapper), (), {})))


def said_by_a_guard(*words: dict[str, Any]) -> tuple[Process, socket.socket]:
    """A process whose guard says these words, and where that guard would listen."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    for each in words:
        theirs.send(json.dumps(each).encode())
    return Process(ours, grace=0), theirs


def test_a_guard_that_never_answers_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        monkeypatch.setattr(processes, "PATIENCE", 0.05)
        monkeypatch.setattr(processes, "INSISTENCE", 0.05)
        process, guard = said_by_a_guard()
        with guard:
            assert await asyncio.wait_for(process.see_off(), SECONDS) == Ending(lost=True)
            assert guard.recv(16) == b"end"

    asyncio.run(scenario())


def test_a_channel_that_was_closed_with_words_unread_is_closed() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        ours.send(b"unread")
        theirs.close()
        assert Guard(ours, {"grace": 0})._hear() == b""


def test_words_of_a_guard_that_say_nothing_of_the_end_change_nothing() -> None:
    async def scenario() -> None:
        process, guard = said_by_a_guard({"news": "none"}, {"exited": 3}, {"left": []})
        with guard:
            assert await ended(process) == Ending(status=3)

    asyncio.run(scenario())


def test_an_end_that_nobody_awaits_any_more_is_the_end() -> None:
    async def scenario() -> None:
        process, guard = said_by_a_guard({"left": []})
        process.ended.cancel()
        with guard:
            while process._control.fileno() >= 0:
                await asyncio.sleep(0)
        assert process.ended.cancelled()

    asyncio.run(scenario())


def of_a_child(aside: Aside, insistence: float) -> Any:
    """What of a child that ignores TERM is left when it is seen off, and whether it ended."""

    def see_off() -> list[bool]:
        tree.adopt_orphans()
        farewell.INSISTENCE = insistence
        script = "trap '' TERM; echo; while :; do sleep 600; done"
        child = subprocess.Popen(
            ["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True
        )
        assert child.stdout
        child.stdout.readline()
        left = farewell.see_off(0.05)
        there = tree.look(child.pid) is not None
        if there:
            os.killpg(child.pid, signal.SIGKILL)
        return [child.pid in {member.pid for member in left}, there]

    return aside(see_off)


def test_who_sees_off_what_is_below_it_leaves_nothing(aside: Aside) -> None:
    assert of_a_child(aside, farewell.INSISTENCE) == [False, False]


def test_who_sees_off_what_is_below_it_names_what_outlives_kill(aside: Aside) -> None:
    assert of_a_child(aside, -1) == [True, True]
