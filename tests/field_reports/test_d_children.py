"""Stopping a whole run whose programs do not want to be stopped, at every stage of it."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.field_reports.processes import Forge, runs, stop, until

DEAF = "trap '' TERM INT HUP; echo $$ > child.pid; while :; do sleep 0.02; done"
FORKING = (
    "(setsid sh -c 'trap \"\" TERM; echo $$ > child.pid; while :; do sleep 0.02; done'"
    " > /dev/null 2>&1 &) ; sleep 600"
)
HOLDING = "(setsid sh -c 'trap \"\" TERM; echo $$ > child.pid; sleep 600' &); exit 0"
FLOODING = "echo $$ > child.pid; trap '' TERM; while :; do echo flood; echo flood >&2; done"
STUBBORN = {"deaf": DEAF, "forking": FORKING, "holding": HOLDING, "flooding": FLOODING}


def manifest(script: str) -> str:
    return f"""forge: 1
roles:
  r:
    capabilities: []
    handler: {{kind: command, argv: [sh, -c, {json.dumps(script)}], result: text, grace: 1s}}
work_items:
  a: {{role: r}}
  b: {{run: [touch, later.txt], capabilities: [], depends_on: [a]}}
"""


@pytest.mark.parametrize("kind", ["deaf", "forking", "flooding"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_what_does_not_want_to_end(forge: Forge, kind: str, number: int) -> None:
    """errhythm/ccswap#5, sixty-north/cosmic-ray#603: what was stopped went on."""
    forge.write("m.forge.yaml", manifest(STUBBORN[kind]))
    process = forge.start("run", "m.forge.yaml")
    child = forge.pid("child.pid")
    ended = stop(process, number)
    assert ended.code == 128 + number
    assert not runs(child)
    assert not (forge.folder / "later.txt").exists()
    assert forge.record()["run"]["status"] == "interrupted"
    assert forge("verify", "evidence").code == 0


def test_what_holds_the_pipes_does_not_hold_the_run(forge: Forge) -> None:
    """NorthlandPositronics/Cogtrix#966: the run waited for whoever had inherited the pipe."""
    forge.write("m.forge.yaml", manifest(HOLDING))
    assert forge("run", "m.forge.yaml").code == 0
    assert not runs(forge.pid("child.pid"))


@pytest.mark.parametrize("kind", ["deaf", "forking", "flooding"])
def test_a_second_signal_ends_all_of_it_at_once(forge: Forge, kind: str) -> None:
    forge.write("m.forge.yaml", manifest(STUBBORN[kind]).replace("grace: 1s", "grace: 10m"))
    process = forge.start("run", "m.forge.yaml")
    child = forge.pid("child.pid")
    process.send_signal(signal.SIGTERM)
    until(lambda: b"stopping" in (process.stderr.readline() if process.stderr else b""))
    assert stop(process, signal.SIGTERM).code == 143
    until(lambda: not runs(child))


@pytest.mark.parametrize("kind", ["deaf", "forking", "flooding"])
def test_nothing_outlives_a_timeout(forge: Forge, kind: str) -> None:
    text = manifest(STUBBORN[kind]).replace("a: {role: r}", "a: {role: r, timeout: 1s}")
    forge.write("m.forge.yaml", text)
    assert forge("run", "m.forge.yaml").code == 1
    assert forge.record()["items"]["a"]["kind"] == "timeout"
    assert not runs(forge.pid("child.pid"))


def test_a_signal_before_the_run_began_leaves_no_run(forge: Forge) -> None:
    forge.write("m.forge.yaml", manifest("true"))
    os.mkfifo(forge.folder / "inputs.json")
    process = forge.start("run", "m.forge.yaml", "--inputs", "inputs.json")
    # It waits for its inputs as soon as somebody can write them.
    descriptor = os.open(forge.folder / "inputs.json", os.O_WRONLY)
    try:
        ended = stop(process, signal.SIGTERM)
    finally:
        os.close(descriptor)
    assert ended.code in (143, -signal.SIGTERM)
    assert "Traceback" not in ended.err
    assert list(forge.folder.glob(".forge/runs/*")) == []


def test_a_signal_while_a_result_is_judged_ends_the_run_resumably(forge: Forge) -> None:
    """The criterion takes long, and is no program that could be sent a signal."""
    forge.write("handlers.py", "def many(turn):\n    return {'n': list(range(3000))}\n")
    forge.write(
        "m.forge.yaml",
        """forge: 1
roles:
  r:
    capabilities: []
    outputs: ["n"]
    handler: {kind: function, call: "handlers.py:many"}
work_items:
  a:
    role: r
    criteria: ["length(n[?contains(`[1]`, length(map(&sort(map(&to_number(@), @)), [])))]) >= `0`"]
""",
    )
    process = forge.start("run", "m.forge.yaml", "--format", "jsonl")
    assert process.stdout
    until(lambda: json.loads(process.stdout.readline())["kind"] == "turn_started")  # type: ignore[union-attr]
    ended = stop(process, signal.SIGTERM)
    assert ended.code in (0, 1, 143)
    if ended.code == 143:
        forge("resume")
    assert forge("verify", "evidence").code == 0


def test_a_signal_while_evidence_is_written_changes_no_status(forge: Forge) -> None:
    """PrefectHQ/prefect#23025: a signal behind the end turned Completed into Crashed."""
    forge.write("handlers.py", "def one(turn):\n    return {'result': 'x' * 2000}\n")
    forge.write(
        "m.forge.yaml",
        """forge: 1
roles:
  r: {capabilities: [], handler: {kind: function, call: "handlers.py:one"}}
work_items:
  a: {role: r, for_each: "${inputs.many}"}
inputs: {many: {type: array}}
""",
    )
    forge.write("many.json", json.dumps({"many": list(range(2000))}))
    process = forge.start("run", "m.forge.yaml", "--inputs", "many.json", "-q")
    folder = until(lambda: _begun(forge.folder))
    ended = stop(process, signal.SIGTERM)
    assert ended.code == 0
    assert "COMPLETE" in ended.out
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []
    assert forge("verify", "evidence").code == 0


BUSY = {
    "sleeps": "import time; time.sleep(600)",
    "matches": "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
}


@pytest.mark.parametrize("kind", BUSY)
def test_ctrl_c_ends_a_function_that_listens_to_nothing(forge: Forge, kind: str) -> None:
    """SigProfilerSuite/SigProfilerAssignment#138: Ctrl-C was ignored while something blocked."""
    code = f"open('child.pid', 'w').write(str(__import__('os').getpid())); {BUSY[kind]}"
    forge.write("handlers.py", f"def f(turn):\n    {code}\n")
    forge.write(
        "m.forge.yaml",
        "forge: 1\nroles:\n"
        '  r: {capabilities: [], handler: {kind: function, call: "handlers.py:f"}}\n'
        "work_items: {a: {role: r}}\n",
    )
    process = forge.start("run", "m.forge.yaml")
    child = forge.pid("child.pid")
    assert stop(process, signal.SIGINT).code == 130
    assert not runs(child)
    assert forge.record()["run"]["status"] == "interrupted"


def _begun(folder: Path) -> Path | None:
    """The evidence folder, from the moment at which it is begun."""
    found = [path for path in folder.glob("evidence/*/*") if path.is_dir()]
    return found[0] if found else None
