"""Programs get what they are given, and nothing of them is left when they have ended."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from forge_cli.gateway.processes import (
    ROOT,
    Ending,
    Process,
    Processes,
    Program,
    memory_file,
)
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.streams import Capture, Pipe
from tests.gateway.programs import SECONDS, told, use, wait_for_the_end_of


@dataclass
class Started:
    """A program under test and what it prints."""

    process: Process
    pipe: Pipe
    capture: Capture

    async def ended(self) -> Ending:
        return await asyncio.wait_for(asyncio.shield(self.process.ended), SECONDS)

    def printed(self) -> str:
        self.pipe.close()
        return self.capture.finish().decode()


@asynccontextmanager
async def opened() -> AsyncIterator[Processes]:
    processes = Processes()
    try:
        yield processes
    finally:
        processes.close()


def start(processes: Processes, program: Program, stdin: bytes = b"") -> Started:
    capture = Capture(Redactor({}), 1_000_000)
    pipe = Pipe(capture.feed)
    source = memory_file(stdin)
    process = processes.start(program, [source, pipe.theirs, pipe.theirs])
    os.close(source)
    pipe.release()
    return Started(process, pipe, capture)


def shell(script: str, folder: Path, *, grace: float = 5.0) -> Program:
    environment = {"PATH": os.environ["PATH"], "FOLDER": str(folder)}
    return Program("/bin/sh", ["sh", "-c", script], environment, str(folder), grace)


def python(source: str, folder: Path) -> Program:
    return Program(sys.executable, ["python", "-I", "-c", source], {"GIVEN": "ü"}, str(folder))


def run(program: Program, stdin: bytes = b"") -> tuple[Ending, str]:
    async def scenario() -> tuple[Ending, str]:
        async with opened() as processes:
            started = start(processes, program, stdin)
            return await started.ended(), started.printed()

    return asyncio.run(scenario())


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_exit_status_is_told(tmp_path: Path) -> None:
    assert run(shell("exit 7", tmp_path))[0] == Ending(status=7)


def test_an_end_by_a_signal_is_told(tmp_path: Path) -> None:
    assert run(shell("kill -SEGV $$", tmp_path))[0].status == -signal.SIGSEGV


def test_a_program_gets_its_arguments_environment_and_folder_exactly(tmp_path: Path) -> None:
    source = "import os, sys; print(sys.argv[1:], dict(os.environ), os.getcwd())"
    argv = ["python", "-I", "-X", "utf8", "-c", source, "a b", "", "ü", "$HOME"]
    environment = {"GIVEN": "ü", "LC_ALL": "C.UTF-8"}
    program = Program(sys.executable, argv, environment, str(tmp_path))
    assert run(program)[1] == f"{argv[6:]} {environment} {tmp_path}\n"


def test_a_program_has_only_the_descriptors_it_was_given(tmp_path: Path) -> None:
    source = "import os; print(sorted(set(map(int, os.listdir('/proc/self/fd'))))[:4])"
    # The fourth is the folder that is being listed.
    assert run(python(source, tmp_path))[1] == "[0, 1, 2, 3]\n"


def test_a_program_has_a_session_of_its_own_and_default_signals(tmp_path: Path) -> None:
    source = (
        "import os, signal as s; print(os.getsid(0) == os.getpid(), "
        "[n.name for n in s.pthread_sigmask(s.SIG_BLOCK, [])], "
        "[n.name for n in (s.SIGHUP, s.SIGQUIT, s.SIGTERM) if s.getsignal(n) != s.SIG_DFL])"
    )
    assert run(python(source, tmp_path))[1] == "True [] []\n"


def test_standard_input_holds_the_bytes_and_ends(tmp_path: Path) -> None:
    data = b"\0\xff" * 500_000
    assert run(shell("wc -c", tmp_path), data)[1].strip() == "1000000"


def test_a_program_that_is_missing_is_told_with_its_path(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    ending, _ = run(Program(missing, ["missing"], {}, str(tmp_path)))
    assert ending == Ending(errno=errno.ENOENT, place=missing)


def test_a_file_that_is_not_executable_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("#!/bin/sh\n")
    assert run(Program(str(file), ["file"], {}, str(tmp_path)))[0].errno == errno.EACCES


def test_a_file_that_is_no_program_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("just text")
    file.chmod(0o755)
    assert run(Program(str(file), ["file"], {}, str(tmp_path)))[0].errno == errno.ENOEXEC


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    ending, _ = run(Program("/bin/sh", ["sh"], {}, missing))
    assert ending == Ending(errno=errno.ENOENT, place=missing)


def test_arguments_that_are_too_long_are_told(tmp_path: Path) -> None:
    program = Program("/bin/echo", ["echo", "x" * 200_000], {}, str(tmp_path))
    assert run(program)[0].errno == errno.E2BIG


def test_an_output_larger_than_any_pipe_comes_whole_on_both_streams(tmp_path: Path) -> None:
    script = "head -c 400000 /dev/zero | tr '\\0' a; head -c 400000 /dev/zero | tr '\\0' b >&2"
    ending, printed = run(shell(script, tmp_path))
    assert (ending.status, len(printed)) == (0, 800_000)


ESCAPES = {
    "stays": "sleep 600 & echo $!",
    "holds no stream": "sleep 600 >/dev/null 2>&1 </dev/null & echo $!",
    "double fork, session, no environment": (
        '(env -i setsid /bin/sh -c \'echo $$ >"$0"; exec /bin/sleep 600\' "$FOLDER/pid" &);'
        "while ! [ -s pid ]; do :; done; cat pid"
    ),
    "ignores TERM": "(trap '' TERM; setsid sleep 600 & echo $!)",
}


RUNS_AWAY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(5):
    os.fork()
end = time.monotonic() + 30
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
"""


def test_processes_that_run_away_by_forking_on_are_caught(tmp_path: Path) -> None:
    argv = ["python", "-I", "-S", "-c", RUNS_AWAY]
    assert run(Program(sys.executable, argv, {}, str(tmp_path), 0.1))[0] == Ending(status=0)


@pytest.mark.parametrize("script", ESCAPES.values(), ids=ESCAPES.keys())
def test_what_a_program_leaves_behind_ends_with_it(script: str, tmp_path: Path) -> None:
    ending, printed = run(shell(script, tmp_path, grace=0.2))
    assert ending == Ending(status=0)
    assert not alive(int(printed))


def test_what_ends_by_itself_right_after_the_program_may_finish(tmp_path: Path) -> None:
    _, printed = run(shell("(while [ -d /proc/$$ ]; do :; done; echo done) &", tmp_path))
    assert printed == "done\n"


def test_a_program_cleans_up_within_the_grace_period(tmp_path: Path, fifo: Path) -> None:
    script = "trap 'sleep 0.8; echo clean; exit 4' TERM; echo > fifo; while :; do sleep 0.1; done"

    async def scenario(processes: Processes) -> None:
        started = start(processes, shell(script, tmp_path))
        await told(fifo)
        assert (await started.process.see_off()).status == 4
        assert "clean\n" in started.printed()

    use(scenario)


def test_every_process_of_the_tree_gets_term(tmp_path: Path, fifo: Path) -> None:
    script = (
        "trap 'wait; exit 0' TERM;"
        "(trap 'echo deep; exit 0' TERM; echo > fifo; while :; do sleep 0.05; done) & wait"
    )

    async def scenario(processes: Processes) -> None:
        started = start(processes, shell(script, tmp_path))
        await told(fifo)
        await started.process.see_off()
        assert "deep\n" in started.printed()

    use(scenario)


def test_a_tree_that_ignores_term_is_killed_after_the_grace_period(
    tmp_path: Path, fifo: Path
) -> None:
    script = "trap '' TERM; (setsid sleep 600 &) ; echo $$ > fifo; while :; do sleep 1; done"

    async def scenario(processes: Processes) -> None:
        started = start(processes, shell(script, tmp_path, grace=0.2))
        pid = int(await told(fifo))
        assert (await started.process.see_off()) == Ending(status=-signal.SIGKILL)
        assert not alive(pid)

    use(scenario)


def test_cancelling_the_farewell_kills_at_once(tmp_path: Path, fifo: Path) -> None:
    script = "trap '' TERM; echo > fifo; while :; do sleep 1; done"

    async def scenario(processes: Processes) -> None:
        started = start(processes, shell(script, tmp_path, grace=600))
        await told(fifo)
        farewell = asyncio.ensure_future(started.process.see_off())
        await asyncio.wait([farewell], timeout=0)
        farewell.cancel()
        ending = await asyncio.wait_for(farewell, SECONDS)
        assert ending.status == -signal.SIGKILL

    use(scenario)


def test_ending_one_program_leaves_its_neighbour_alone(tmp_path: Path, fifo: Path) -> None:
    async def scenario(processes: Processes) -> None:
        neighbour = start(processes, shell("(setsid sleep 600 &); cat fifo", tmp_path, grace=0.1))
        other = start(processes, shell("sleep 600", tmp_path))
        await other.process.see_off()
        await asyncio.wait_for(asyncio.to_thread(fifo.write_text, "still here"), SECONDS)
        assert await neighbour.ended() == Ending(status=0)
        assert neighbour.printed() == "still here"

    use(scenario)


def test_children_of_asyncio_are_not_disturbed(tmp_path: Path) -> None:
    async def scenario(processes: Processes) -> None:
        own = await asyncio.create_subprocess_exec("/bin/sh", "-c", "read x; exit 9", stdin=-1)
        assert (await start(processes, shell("(sleep 600 &)", tmp_path)).ended()).status == 0
        assert own.stdin
        own.stdin.close()
        assert await asyncio.wait_for(own.wait(), SECONDS) == 9

    use(scenario)


def test_a_killed_guard_is_told_and_its_tree_still_ends(tmp_path: Path) -> None:
    async def scenario(processes: Processes) -> None:
        script = "(setsid sleep 600 & echo $!); echo $$; kill -KILL $PPID; sleep 600"
        started = start(processes, shell(script, tmp_path))
        assert (await started.ended()).lost
        capture = ""
        while len(capture.split()) < 2:
            started.pipe.drain()
            capture = bytes(started.capture._head).decode()
            await asyncio.sleep(0)
        for pid in capture.split():
            wait_for_the_end_of(int(pid))
        started.pipe.close()

    use(scenario)


def test_a_killed_warden_is_replaced(tmp_path: Path) -> None:
    async def scenario(processes: Processes) -> None:
        await start(processes, shell("exit 0", tmp_path)).ended()
        assert processes._warden
        processes._warden.process.kill()
        processes._warden.process.wait(timeout=SECONDS)
        assert (await start(processes, shell("exit 5", tmp_path)).ended()).status == 5

    use(scenario)


def test_closing_leaves_no_warden(tmp_path: Path) -> None:
    async def scenario() -> int:
        async with opened() as processes:
            await start(processes, shell("exit 0", tmp_path)).ended()
            assert processes._warden
            return processes._warden.process.pid

    assert not alive(asyncio.run(scenario()))


FORGE = """
import asyncio, json, os, sys
sys.path.append(sys.argv[1])
from forge_cli.gateway.processes import Processes, Program
async def main():
    script = "(setsid sleep 600 & echo $!); echo $$; trap '' TERM; while :; do sleep 1; done"
    program = Program("/bin/sh", ["sh", "-c", script], {"PATH": os.environ["PATH"]}, "/", 600)
    null = os.open(os.devnull, os.O_RDWR)
    await Processes().start(program, [null, 1, null]).ended
asyncio.run(main())
"""


def test_when_forge_is_killed_its_programs_end_at_once() -> None:
    command = [sys.executable, "-I", "-c", FORGE, ROOT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as forge:
        assert forge.stdout
        pids = [int(forge.stdout.readline()) for _ in range(2)]
        forge.kill()
        for pid in pids:
            wait_for_the_end_of(pid)


def test_no_secret_of_the_caller_is_in_the_wardens_environment(tmp_path: Path) -> None:
    source = (
        "import os, json; guard = os.getppid();"
        "fields = open(f'/proc/{guard}/stat').read().rpartition(')')[2].split();"
        "print(json.dumps([open(f'/proc/{pid}/environ').read() for pid in (guard, fields[1])]))"
    )
    assert json.loads(run(python(source, tmp_path))[1]) == ["", ""]
