"""Turns that come together are made by few workers, and none waits for one that takes its time."""

import asyncio
import os
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.handlers.function import FunctionHandler, create
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import Kept

Play = Callable[[str, Callable[["Calls"], Awaitable[Any]]], Any]


class Calls:
    """Calls of the functions of one file, by one handler."""

    def __init__(self, handler: FunctionHandler, turn: Turn) -> None:
        self._handler = handler
        self._turn = turn

    def start(self, name: str, **inputs: Any) -> "asyncio.Task[TurnResult]":
        """Call a function with these inputs."""
        config = {"call": f"f.py:{name}"}
        turn = replace(self._turn, handler=config, inputs=inputs)
        return asyncio.get_running_loop().create_task(self._handler.run(turn))

    async def together(self, name: str, *each: dict[str, Any]) -> list[TurnResult]:
        """Call a function several times at once."""
        return await asyncio.gather(*(self.start(name, **inputs) for inputs in each))


@pytest.fixture
def play(context: HandlerContext, turn: Turn) -> Play:
    """Play a scene with the functions of a file: `play(source, scene)`."""

    def play(source: str, scene: Callable[[Calls], Awaitable[Any]]) -> Any:
        (context.folder / "f.py").write_text(textwrap.dedent(source), "utf-8")

        async def main() -> Any:
            handler = create(context)
            try:
                return await scene(Calls(handler, turn))
            finally:
                await handler.close()

        return asyncio.run(main())

    return play


PID = """
import os
def pid(turn):
    return os.getpid()
"""


def value(result: TurnResult) -> Any:
    assert result.status == "done", result.message
    assert result.output is not None
    return result.output["result"]


def test_quick_turns_that_come_together_are_made_by_few_workers(play: Play) -> None:
    async def scene(calls: Calls) -> bool:
        for _ in range(50):  # on a machine that is busy no turn is quick, for a while
            results = await calls.together("pid", *[{}] * 8)
            if len({value(result) for result in results}) < 8:
                return True
        return False

    assert play(PID, scene)


def test_turns_that_wait_for_each_other_are_all_under_way(play: Play, tmp_path: Path) -> None:
    source = """
        import os, pathlib, time
        def meet(turn):
            place = pathlib.Path(turn.inputs["place"])
            (place / str(turn.inputs["n"])).touch()
            end = time.monotonic() + 30
            while len(os.listdir(place)) < 4 and time.monotonic() < end:
                time.sleep(0.001)
            return len(os.listdir(place))
    """
    place = tmp_path / "place"
    place.mkdir()

    async def scene(calls: Calls) -> list[TurnResult]:
        return await calls.together("meet", *({"place": str(place), "n": n} for n in range(4)))

    assert [value(result) for result in play(source, scene)] == [4] * 4


def test_what_a_turn_prints_is_its_own_also_beside_others(play: Play, kept: Kept) -> None:
    source = """
        def tell(turn):
            if turn.inputs["n"] % 3 == 0:
                print("number", turn.inputs["n"], flush=True)
            return turn.inputs["n"]
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        await calls.together("tell", *({"n": 1} for _ in range(4)))
        return await calls.together("tell", *({"n": n} for n in range(40)))

    results = play(source, scene)
    assert [value(result) for result in results] == list(range(40))
    printed = [
        kept.get(result.captured["stdout"]) if result.captured else b"" for result in results
    ]
    assert printed == [b"number %d\n" % n if n % 3 == 0 else b"" for n in range(40)]


def test_a_turn_that_ends_its_worker_ends_no_other(play: Play) -> None:
    source = """
        import os
        def die(turn):
            if turn.inputs["n"] % 5 == 2:
                os._exit(3)
            return turn.inputs["n"]
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        await calls.together("die", *({"n": 1} for _ in range(4)))
        return await calls.together("die", *({"n": n} for n in range(20)))

    results = play(source, scene)
    expected = ["failed" if n % 5 == 2 else "done" for n in range(20)]
    assert [result.status for result in results] == expected


def test_a_worker_that_cannot_start_fails_what_is_asked_of_it(play: Play) -> None:
    async def scene(calls: Calls) -> list[TurnResult]:
        return await calls.together("f", *[{}] * 3)

    results = play("import os\nos._exit(4)\n", scene)
    assert [result.status for result in results] == ["failed"] * 3


def test_to_stop_a_turn_stops_no_other(play: Play, tmp_path: Path) -> None:
    source = """
        import pathlib, time
        def wait(turn):
            pathlib.Path(turn.inputs["mine"]).touch()
            while not pathlib.Path(turn.inputs["until"]).exists():
                time.sleep(0.001)
            return "waited"
    """
    go, never = tmp_path / "go", tmp_path / "never"

    async def there(path: Path) -> None:
        while not path.exists():
            await asyncio.sleep(0.001)

    async def scene(calls: Calls) -> tuple[Any, list[TurnResult]]:
        begun = [tmp_path / f"begun{n}" for n in range(4)]
        tasks = [
            calls.start("wait", mine=str(mine), until=str(never if n == 0 else go))
            for n, mine in enumerate(begun)
        ]
        late = calls.start("wait", mine=str(tmp_path / "late"), until=str(go))
        for mine in begun:
            await there(mine)
        tasks[0].cancel()
        with pytest.raises(Stopped) as stopped:
            await tasks[0]
        go.touch()
        return stopped.value.result, [await task for task in (*tasks[1:], late)]

    first, others = play(source, scene)
    assert (first.status, first.kind) == ("failed", "cancelled")
    assert [value(result) for result in others] == ["waited"] * 4


def test_a_turn_that_has_not_begun_is_stopped_without_its_worker(play: Play) -> None:
    async def scene(calls: Calls) -> tuple[Any, set[Any]]:
        before = value(await calls.start("pid"))
        first, second = calls.start("pid"), calls.start("pid")
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(Stopped):
            await second
        return before, {value(await first), value(await calls.start("pid"))}

    before, after = play(PID, scene)
    assert after == {before}


def test_what_was_asked_of_a_worker_that_is_spent_is_asked_of_another(play: Play) -> None:
    source = """
        import os, threading, time
        def spend(turn):
            if turn.inputs["n"] == 0:
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            return os.getpid()
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        await calls.together("spend", *({"n": 1} for _ in range(4)))
        return await calls.together("spend", *({"n": n} for n in range(4)))

    first, *others = [value(result) for result in play(source, scene)]
    assert first not in others
    assert os.getpid() not in others


def test_an_answer_that_is_none_ends_no_other_turn(play: Play) -> None:
    source = """
        def answer(turn):
            return 2**70 if turn.inputs["n"] % 5 == 2 else turn.inputs["n"]
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        await calls.together("answer", *({"n": 1} for _ in range(4)))
        return await calls.together("answer", *({"n": n} for n in range(20)))

    expected = ["failed" if n % 5 == 2 else "done" for n in range(20)]
    assert [result.status for result in play(source, scene)] == expected


def test_turns_that_take_their_time_begin_together(play: Play) -> None:
    source = """
        import time
        def nap(turn):
            begun = time.monotonic()
            time.sleep(0.5)
            return round(begun * 1000)
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        return await calls.together("nap", *[{}] * 16)

    begun = sorted(value(result) for result in play(source, scene))
    assert begun[-1] - begun[0] < 500  # the last begins while the first is still under way


def test_nobody_answers_for_a_turn_that_was_not_taken(play: Play) -> None:
    source = """
        import time
        from forge_cli.handlers.frames import write_frame
        def answer(turn):
            if turn.inputs["n"] == 0:
                result = b'{"result":{"status":"done","output":{"result":"x"}}}'
                for _ in range(2):
                    write_frame(3, b"\\0\\0" + result)
                time.sleep(60)
            return "own"
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        await calls.together("answer", *({"n": 1} for _ in range(4)))
        return await calls.together("answer", *({"n": n} for n in range(4)))

    first, *others = play(source, scene)
    assert first.status == "failed"
    assert [value(result) for result in others] == ["own"] * 3


def test_an_early_answer_is_not_followed_by_that_of_the_next_turn(play: Play) -> None:
    source = """
        import os, time
        from forge_cli.handlers.frames import write_frame
        def answer(turn):
            if turn.inputs["n"] == 0:
                result = b'{"result":{"status":"done","output":{"result":"x"}}}'
                write_frame(3, bytes([turn.inputs["ticket"], 0]) + result)
                time.sleep(0.2)
            return os.getpid()
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        before = await calls.start("answer", n=1)
        early = await calls.start("answer", n=0, ticket=2)
        return [before, early, *[await calls.start("answer", n=n) for n in (3, 4)]]

    before, early, *others = [value(result) for result in play(source, scene)]
    assert early == "x"
    assert before not in others


@pytest.mark.parametrize(
    "leave",
    [
        "signal.setitimer(signal.ITIMER_REAL, 0.3)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})",
    ],
)
def test_what_signals_do_is_left_to_no_other_turn(play: Play, leave: str) -> None:
    source = f"""
        import os, signal
        def leave(turn):
            {leave}
            return os.getpid()
        def pid(turn):
            return os.getpid()
    """

    async def scene(calls: Calls) -> tuple[TurnResult, TurnResult]:
        return await calls.start("leave"), await calls.start("pid")

    first, second = play(source, scene)
    assert value(first) != value(second)


def test_the_mask_of_new_files_is_put_back(play: Play) -> None:
    source = """
        import os
        def mask(turn):
            return os.umask(0o007)
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        return [await calls.start("mask") for _ in range(2)]

    first, second = play(source, scene)
    assert value(first) == value(second)


def test_a_result_that_fails_as_it_is_written_fails_its_turn_only(play: Play) -> None:
    source = """
        import os
        class Evil(dict):
            def items(self):
                raise OSError("no")
        def evil(turn):
            return Evil(result=1) if turn.inputs["n"] else os.getpid()
    """

    async def scene(calls: Calls) -> list[TurnResult]:
        return [await calls.start("evil", n=n) for n in (0, 1, 0)]

    before, result, after = play(source, scene)
    assert "OSError: no" in result.message
    assert value(before) == value(after)
