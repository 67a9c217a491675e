"""What programs and functions in a sandbox may do, and that all else works as without one."""

import asyncio
import errno
import os
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forge_cli.gateway.processes import Processes
from forge_cli.gateway.sandbox import boxes as boxes_of_runs
from forge_cli.gateway.sandbox.boxes import Box, Boxes, Level, Need, Sandbox, Surroundings
from forge_cli.gateway.sandbox.bubblewrap import Enclosure
from forge_cli.gateway.sandbox.chart import ChartError
from forge_cli.multiagent.grants import Grant
from tests.gateway.sandbox.conftest import Held


def test_a_program_reads_what_its_scope_holds(held: Held, reading: Grant) -> None:
    done = held.script("cat src/a.py src/deep/b.py", reading)
    assert done.output == {"result": "src/a.pysrc/deep/b.py"}


@pytest.mark.parametrize("name", ["README", "src/.env", ".git/hooks/old", "../outside"])
def test_a_program_reads_nothing_else(held: Held, reading: Grant, name: str) -> None:
    assert held.script(f"cat {name}", reading).status == "failed"


def test_without_the_action_a_program_reads_nothing_of_the_workspace(
    held: Held, nothing: Grant
) -> None:
    assert held.script("cat src/a.py", nothing).status == "failed"


def test_a_program_writes_what_its_writes_hold(held: Held, writing: Grant) -> None:
    script = "cd src/deep; echo new > new; mkdir d; mv b.py d/; rm new; echo a > ../a.py"
    assert held.script(script, writing).status == "done"
    assert (held.workspace / "src" / "deep" / "d" / "b.py").read_text() == "src/deep/b.py"
    assert (held.workspace / "src" / "a.py").read_text() == "a\n"


@pytest.mark.parametrize("name", ["src/new", "src/a.py", "README", "new"])
def test_a_program_without_writes_writes_nothing(held: Held, reading: Grant, name: str) -> None:
    assert held.script(f"echo x > {name}", reading).status == "failed"
    assert (held.workspace / "src" / "a.py").read_text() == "src/a.py"
    assert not (held.workspace / "new").exists()


def test_the_manifest_is_not_written_whatever_the_scope_says(held: Held, writing: Grant) -> None:
    grant = replace(writing, scope=("files:**",), writes=("files:**",))
    for trial in ("echo x > m.yaml", "rm -f m.yaml; test ! -e m.yaml", "mv m.yaml n.yaml"):
        assert held.script(trial, grant).status == "failed"
    assert (held.workspace / "m.yaml").read_text() == "m.yaml"


def test_home_and_temporary_folder_are_the_calls_own(held: Held, nothing: Grant) -> None:
    script = 'echo x > "$HOME/x" && echo x > "$TMPDIR/x" && ls "$HOME" && echo $HOME'
    config = {"argv": ["bash", "-c", script], "stdin": "none", "result": "text"}
    results = held.run("command", config, config, grant=nothing)
    homes = {result.output["result"] for result in results if result.output}
    assert len(homes) == 2
    assert not any(Path(home.split("\n")[1]).exists() for home in homes)


def test_without_the_action_no_port_is_reached(held: Held, nothing: Grant) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"echo > /dev/tcp/127.0.0.1/{port}"
        assert held.script(script, nothing).status == "failed"
        granted = replace(nothing, actions=frozenset({"network"}))
        assert held.script(script, granted).status == "done"


@pytest.mark.parametrize(
    ("script", "message"),
    [("exit 7", "exit status 7"), ("kill -SEGV $$", "ended by signal SIGSEGV")],
)
def test_how_a_program_ended_is_told_as_without_a_sandbox(
    held: Held, nothing: Grant, script: str, message: str
) -> None:
    assert held.script(script, nothing).message.startswith(message)


def test_programs_with_one_grant_do_without_a_second_sandbox(held: Held, reading: Grant) -> None:
    config = {"argv": ["readlink", "/proc/self/ns/pid"], "stdin": "none", "result": "text"}
    one, two = held.run("command", config, config, grant=reading)
    assert one.output == two.output


def test_a_file_that_came_meanwhile_is_kept_from_the_next_program(
    held: Held, writing: Grant
) -> None:
    script = "cat src/deep/.key 2>/dev/null || echo none; echo secret > src/deep/.key; true"
    config = {"argv": ["bash", "-c", script], "stdin": "none", "result": "text"}
    one, two = held.run("command", config, config, grant=writing)
    assert (one.output, two.output) == ({"result": "none"}, {"result": "none"})


def test_a_function_is_called_again_in_its_sandbox(held: Held, nothing: Grant) -> None:
    (held.workspace / "h.py").write_text(
        "import os, beside\ndef f(turn):\n    return {'result': [os.getpid(), beside.x]}\n"
    )
    (held.workspace / "beside.py").write_text("x = 1\n")
    one, two = held.run("function", {"call": "h.py:f"}, {"call": "h.py:f"}, grant=nothing)
    assert one.output == two.output
    assert one.output is not None
    assert one.output["result"][1] == 1


def test_a_program_that_the_arguments_name_is_read_whatever_the_scope_says(
    make_held: Callable[[Level], Held], level: Level, nothing: Grant
) -> None:
    held = make_held(level)
    (held.workspace / "tool").mkdir()
    (held.workspace / "tool" / "t.py").write_text("import u\nprint(u.x)\n")
    (held.workspace / "tool" / "u.py").write_text("x = 'both'\n")
    named = replace(held, context=replace(held.context, programs=frozenset({"tool/t.py"})))
    config = {"argv": ["python3", "tool/t.py"], "stdin": "none", "result": "text"}
    assert named.run("command", config, grant=nothing)[0].output == {"result": "both"}


def test_a_sandbox_that_cannot_be_made_is_told(
    make_held: Callable[[Level], Held], nothing: Grant
) -> None:
    held = make_held("namespace")
    sandbox = replace(held.context.sandbox, bwrap="/bin/false")
    broken = replace(held, context=replace(held.context, sandbox=sandbox))
    (held.workspace / "h.py").write_text("def f(turn):\n    return {'result': 1}\n")
    called = broken.run("function", {"call": "h.py:f"}, grant=nothing)[0]
    for failed in (broken.script("true", nothing), called):
        assert failed.status == "failed"
        assert "its sandbox could not be made" in failed.message


def test_off_holds_nothing(make_held: Callable[[Level], Held], nothing: Grant) -> None:
    assert make_held("off").script("cat README", nothing).output == {"result": "README"}


def test_a_handler_may_say_its_level(held: Held, nothing: Grant) -> None:
    argv = ["cat", "README"]
    config = {"argv": argv, "stdin": "none", "result": "text", "sandbox": "off"}
    assert held.run("command", config, grant=nothing)[0].status == "done"


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return Surroundings(tmp_path, {}, (), "test-", Sandbox("landlock"))


def test_few_sandboxes_are_kept_in_which_nothing_runs(
    around: Surroundings, nothing: Grant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        found = Boxes(around, Processes())
        needs = [Need("landlock", role, nothing) for role in "abc"]
        boxes = [await found.take(need) for need in needs]
        for box in boxes:
            found.give_back(box)
        folders = [box.enclosure and Path(box.enclosure.folder) for box in boxes]
        assert [folder and folder.exists() for folder in folders] == [False, False, True]
        assert await found.take(needs[2]) is boxes[2]
        found.close()
        assert not any(folder and folder.exists() for folder in folders)

    monkeypatch.setattr(boxes_of_runs, "MOST_IDLE", 1)
    asyncio.run(scenario())


def test_a_sandbox_for_which_the_disk_has_no_room_is_told_and_leaves_nothing(
    around: Surroundings, nothing: Grant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(enclosure: Enclosure) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), enclosure.folder)

    async def scenario() -> None:
        with pytest.raises(ChartError, match=r"cannot be made: .*: No space left on device"):
            await Boxes(around, Processes()).take(Need("landlock", "a", nothing))

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Enclosure, "make", full)
    asyncio.run(scenario())
    assert list(tmp_path.iterdir()) == []


def test_what_no_sandbox_holds_has_nothing_to_take_away() -> None:
    box = Box(Processes())
    box.close()
    assert box.folder is None
