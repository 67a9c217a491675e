"""A turn of kind `function` is one call in a worker that others can go on using."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.ports import Artifacts
from forge_cli.multiagent.turn import Turn, TurnResult

Run = Callable[..., TurnResult]
RunInTurn = Callable[..., list[TurnResult]]
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, context: object) -> Write:
    """Writes `functions.py` beside the manifest."""

    def write(source: str) -> Path:
        path = tmp_path / "manifests" / "functions.py"
        path.write_text(source)
        return path

    return write


def call(name: str = "f", **config: object) -> dict[str, object]:
    return {"call": f"functions.py:{name}", **config}


def test_an_object_is_the_output(run: Run, write: Write) -> None:
    write("def f(turn): return {'a': turn.inputs['x'] + 1, 'b': None}")
    assert run("function", call(), inputs={"x": 1}).output == {"a": 2, "b": None}


def test_another_value_is_the_only_output(run: Run, write: Write) -> None:
    write("def f(turn): return [1, (2, 3)]")
    assert run("function", call()).output == {"result": [1, [2, 3]]}


def test_another_value_for_several_outputs_is_refused(run: Run, write: Write) -> None:
    write("def f(turn): return 1")
    result = run("function", call(), outputs=("a", "b"))
    assert result.kind == "invalid-output"
    assert result.message == "the function returned int, not an object with the outputs (a, b)"


def test_a_forgotten_return_is_refused(run: Run, write: Write) -> None:
    write("def f(turn): pass")
    assert "returned NoneType" in run("function", call()).message


def test_nothing_is_returned_where_no_output_is_asked_for(run: Run, write: Write) -> None:
    write("def f(turn): pass")
    assert run("function", call(), outputs=()).output == {}


def test_a_function_may_be_async(run: Run, write: Write) -> None:
    write("import asyncio\nasync def f(turn):\n    await asyncio.sleep(0)\n    return 'a'")
    assert run("function", call()).output == {"result": "a"}


def test_a_function_may_return_a_turn_result(run: Run, write: Write) -> None:
    write(
        "from forge_cli.multiagent.turn import TurnResult\n"
        "def f(turn):\n"
        "    return TurnResult.failed('budget', 'spent', partial=[1], usage={'tokens': 3})"
    )
    result = run("function", call())
    assert (result.status, result.kind, result.message) == ("failed", "budget", "spent")
    assert (result.partial, result.usage) == ([1], {"tokens": 3})


def test_a_function_may_yield_with_state_and_posts(run: Run, write: Write) -> None:
    write(
        "from forge_cli.multiagent.turn import TurnResult\n"
        "def f(turn): return TurnResult.yields({'step': turn.number}, posts=('p',))"
    )
    result = run("function", call())
    assert (result.status, result.state, result.posts) == ("yields", {"step": 1}, ("p",))


@pytest.mark.parametrize(
    "fields",
    ["usage=[1]", "output=[1]", "evidence={'a': 1}"],
)
def test_a_turn_result_that_is_none_is_refused(run: Run, write: Write, fields: str) -> None:
    write(
        "from forge_cli.multiagent.turn import TurnResult\n"
        f"def f(turn): return TurnResult('done', **dict({fields}))"
    )
    result = run("function", call())
    assert result.kind == "invalid-output"
    assert fields.split("=")[0] in result.message


def test_what_was_captured_is_not_for_the_function_to_say(run: Run, write: Write) -> None:
    write(
        "from forge_cli.multiagent.turn import TurnResult\n"
        "def f(turn): return TurnResult.done({}, captured={'stdout': 'sha256:0'})"
    )
    assert run("function", call()).captured == {}


def test_the_whole_turn_is_there(run: Run, write: Write) -> None:
    write(
        "def f(turn):\n"
        "    return [turn.run_id, turn.key, turn.purpose, sorted(turn.grant.capabilities),\n"
        "            turn.grant.outputs, turn.budget, turn.timeout, turn.inbox, turn.state]"
    )
    result = run("function", call(), budget={"tokens": 7}, state={"s": 1})
    assert result.output
    assert result.output["result"] == [
        "run-1", "item/1", "Look at it", [], ["result"], {"tokens": 7}, 60000, [], {"s": 1}
    ]  # fmt: skip


def test_an_exception_is_named_with_its_line_and_kept_with_its_traceback(
    run: Run, write: Write, kept: Artifacts
) -> None:
    path = write("def f(turn):\n    g()\n\ndef g():\n    raise ValueError('no good')")
    result = run("function", call())
    assert (result.kind, result.message) == ("error", "functions.py:5: ValueError: no good")
    traceback = kept.get(result.captured["stderr"]).decode()
    assert traceback.startswith(f'Traceback (most recent call last):\n  File "{path}", line 2')


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(turn) return 1", "functions.py does not load: SyntaxError"),
        ("import no_such_module", "functions.py:1: functions.py does not load: ModuleNotFound"),
        ("import sys; sys.exit(2)", "does not load: SystemExit: 2"),
        ("def g(turn): pass", "functions.py has no function 'f'"),
        ("f = 1", "functions.py has no function 'f'"),
        ("def f(): pass", "TypeError"),
        ("def f(turn): return {1, 2}", "what the function returned is not JSON"),
        ("import sys\ndef f(turn): sys.exit('done')", "functions.py:2: called sys.exit('done')"),
        ("def f(turn): raise KeyboardInterrupt", "functions.py:1: KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): 1/0\ndef f(turn): raise E", "E: (its text"),
    ],
)
def test_each_fault_of_the_file_is_a_sentence(
    run: Run, write: Write, source: str, message: str
) -> None:
    write(source)
    result = run("function", call())
    assert result.status == "failed"
    assert message in result.message


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("missing.py:f", "there is no file 'missing.py' in the manifest's folder"),
        ("../outside.py:f", "'../outside.py' is outside the manifest's folder"),
        ("/etc/passwd:f", "'/etc/passwd' is outside the manifest's folder"),
        ("link.py:f", "'link.py' is outside the manifest's folder"),
        ("functions.py", "`call` is 'functions.py'; write it as file.py:function"),
    ],
)
def test_only_files_below_the_manifests_folder_are_called(
    run: Run, write: Write, tmp_path: Path, reference: str, message: str
) -> None:
    write("def f(turn): return 1")
    (tmp_path / "outside.py").write_text("def f(turn): return 1")
    (tmp_path / "manifests" / "link.py").symlink_to(tmp_path / "outside.py")
    result = run("function", {"call": reference})
    assert result.kind == "error"
    assert result.message.startswith(message)


def test_files_below_the_folder_of_an_included_file_are_called(
    context: HandlerContext, turn: Turn, tmp_path: Path
) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "functions.py").write_text("def f(turn): return {'result': 1}")
    context = replace(context, libraries=(tmp_path / "manifests" / ".." / "team",))
    called = replace(turn, handler={"call": "../team/functions.py:f"})

    async def main() -> TurnResult:
        handler = create(["function"], context)["function"]
        try:
            return await handler.run(called)
        finally:
            await handler.close()

    result = asyncio.run(main())
    assert (result.status, result.output) == ("done", {"result": 1})


def test_modules_live_as_long_as_the_worker(run_in_turn: RunInTurn, write: Write) -> None:
    write("n = 0\ndef f(turn):\n    global n\n    n += 1\n    return n")
    results = run_in_turn("function", call(), call(), call())
    assert [result.output for result in results] == [{"result": n} for n in (1, 2, 3)]


def test_a_worker_that_died_is_replaced(run_in_turn: RunInTurn, write: Write) -> None:
    write("import os\ndef f(turn): return os.getpid()\ndef die(turn): os._exit(1)")
    first, _, second = run_in_turn("function", call(), call("die"), call())
    assert first.output != second.output


def test_workers_are_shared_by_functions_of_one_file_only(
    run_in_turn: RunInTurn, write: Write, tmp_path: Path
) -> None:
    source = "import os\ndef f(turn): return os.getpid()\ndef g(turn): return os.getpid()"
    write(source)
    (tmp_path / "manifests" / "other.py").write_text(source)
    first, same, other = run_in_turn("function", call(), call("g"), {"call": "other.py:f"})
    assert first.output == same.output
    assert first.output != other.output


def test_workers_are_shared_by_the_same_variables_only(
    run_in_turn: RunInTurn, write: Write
) -> None:
    write("import os\ndef f(turn): return str(os.environ.get('A'))")
    results = run_in_turn("function", call(env={"A": "1"}), call(env={"A": "2"}), call())
    assert [result.output for result in results] == [{"result": a} for a in ("1", "2", "None")]


def test_folder_environment_and_streams_are_put_back_after_a_turn(
    run_in_turn: RunInTurn, write: Write, tmp_path: Path, kept: Artifacts
) -> None:
    write(
        "import io, os, sys\n"
        "def change(turn):\n"
        "    os.chdir('/'); os.environ['LEFT'] = '1'; del os.environ['CI']\n"
        "    sys.stdout = io.StringIO()\n"
        "    return os.getpid()\n"
        "def look(turn):\n"
        "    print('heard')\n"
        "    return [os.getpid(), os.getcwd(), 'LEFT' in os.environ, os.environ['CI']]\n"
    )
    changed, looked = run_in_turn("function", call("change"), call("look"))
    assert changed.output
    assert looked.output == {"result": [changed.output["result"], str(tmp_path), False, "1"]}
    assert kept.get(looked.captured["stdout"]) == b"heard\n"


def test_what_each_turn_prints_is_its_own(
    run_in_turn: RunInTurn, write: Write, kept: Artifacts
) -> None:
    write(
        "import os\ndef f(turn): print('a'); os.system('echo b'); return 1\ndef g(turn): return 2"
    )
    loud, silent = run_in_turn("function", call(), call("g"))
    assert kept.get(loud.captured["stdout"]) == b"a\nb\n"
    assert silent.captured == {}


def test_what_was_printed_before_a_death_is_kept(run: Run, write: Write, kept: Artifacts) -> None:
    write("import os\ndef f(turn): print('last words'); os._exit(9)")
    assert kept.get(run("function", call()).captured["stdout"]) == b"last words\n"


@pytest.mark.parametrize(
    "fault",
    [
        "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()",
        "os.close(1)",
        "os.dup2(os.open('/dev/null', 1), 2)",
    ],
)
def test_a_worker_that_cannot_be_put_back_is_not_used_again(
    run_in_turn: RunInTurn, write: Write, fault: str
) -> None:
    write(
        f"import os\ndef f(turn):\n    {fault}\n    return os.getpid()\n"
        "def g(turn): return os.getpid()"
    )
    spent, fresh = run_in_turn("function", call(grace=100), call("g", grace=100))
    assert (spent.status, fresh.status) == ("done", "done")
    assert spent.output != fresh.output


def test_files_beside_the_function_can_be_imported(run: Run, write: Write, tmp_path: Path) -> None:
    (tmp_path / "manifests" / "beside.py").write_text("VALUE = 5")
    write("import beside\ndef f(turn): return beside.VALUE")
    assert run("function", call()).output == {"result": 5}


def test_calling_writes_nothing_beside_the_file(run: Run, write: Write, tmp_path: Path) -> None:
    write("def f(turn): return 1")
    run("function", call())
    assert [path.name for path in (tmp_path / "manifests").iterdir()] == ["functions.py"]


def test_nothing_of_the_callers_python_settings_comes_in(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "elsewhere"))
    write("import sys\ndef f(turn): return [p for p in sys.path if 'elsewhere' in p]")
    assert run("function", call()).output == {"result": []}


def test_large_inputs_and_outputs_travel_whole(run: Run, write: Write) -> None:
    write("def f(turn): return turn.inputs['text']")
    text = "ü" * 1_000_000
    assert run("function", call(), inputs={"text": text}).output == {"result": text}


def test_a_secret_in_an_exception_is_masked_before_the_message_is_cut(
    run: Run, write: Write, kept: Artifacts
) -> None:
    write("import os\ndef f(turn): raise ValueError('x' * 1960 + os.environ['TOKEN'] * 9)")
    result = run("function", call(secrets=["TOKEN"]))
    assert len(result.message) <= 2_000
    assert "canary" not in result.message
    assert b"canary" not in kept.get(result.captured["stderr"])


def test_a_secret_in_what_is_no_json_is_masked(run: Run, write: Write) -> None:
    write("import os\ndef f(turn): return {os.environ['TOKEN']: 2**60}")
    result = run("function", call(secrets=["TOKEN"]))
    assert result.kind == "invalid-output"
    assert "***" in result.message
    assert "canary" not in result.message
