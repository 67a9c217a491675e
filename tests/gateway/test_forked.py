"""A program that is a call behaves, and ends, as one that an interpreter was started for."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.gateway import forked
from forge_cli.gateway.processes import Ending, Processes, Program
from forge_cli.gateway.streams import Pipe

MODULE = "tests.gateway.data.called"


def call(folder: Path, function: str, *words: str, **env: str) -> tuple[Ending, str]:
    """How a call of a function in the module ended, and what it printed."""
    said = bytearray()

    async def main() -> Ending:
        processes, pipe = Processes(MODULE), Pipe(said.extend)
        path = f"{MODULE}:{function}"
        program = Program(path, ["worker", *words], env, str(folder), call=True)
        null = os.open(os.devnull, os.O_RDONLY)
        process = processes.start(program, [null, pipe.theirs, pipe.theirs])
        os.close(null)
        pipe.release()
        ending = await asyncio.wait_for(process.ended, 30)
        pipe.close()
        processes.close()
        return ending

    return asyncio.run(main()), said.decode()


def test_it_has_its_words_and_environment_and_a_session_of_its_own(tmp_path: Path) -> None:
    ending, said = call(tmp_path, "show", "a b", GIVEN="ü", TZ="UTC")
    assert ending == Ending(status=0)
    words = "('a b',) ['worker', 'a b'] {'GIVEN': 'ü', 'TZ': 'UTC'} True"
    assert said == f"{words}\nand then\n"


@pytest.mark.parametrize(("word", "status"), [("", 0), ("7", 7), ("no licence", 1)])
def test_its_exit_status_is_that_of_an_interpreter(tmp_path: Path, word: str, status: int) -> None:
    assert call(tmp_path, "leave", word)[0] == Ending(status=status)


def test_what_it_raises_is_told_as_an_interpreter_tells_it(tmp_path: Path) -> None:
    ending, said = call(tmp_path, "fail")
    assert ending == Ending(status=1)
    assert said.startswith("Traceback (most recent call last):\n")
    assert said.endswith("ValueError: of all things\n")


def test_one_that_cannot_even_begin_ends_with_a_status_of_its_own(
    aside: Callable[[Callable[[], int]], int],
) -> None:
    def begin() -> int:
        pid = forked.fork({"path": "none"}, [-1])
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert aside(begin) == forked.FAILED
