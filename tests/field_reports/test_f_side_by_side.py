"""Runs beside each other, and the same output whatever the process is like."""

import pytest

from tests.field_reports.processes import Forge, at_once
from tests.programme import size

ROUNDS = max(8, size("races"))
SHARED = """forge: 1
work_items:
  a: {script: 'echo "$INPUT_WHO" >> told.txt; echo "$INPUT_WHO"', with: {who: "${inputs.who}"},
      capabilities: []}
  b: {run: [echo, "${items.a.outputs.result}"], capabilities: []}
inputs: {who: {}}
"""


@pytest.mark.programme
def test_two_runs_in_one_workspace_do_not_disturb_each_other(forge: Forge) -> None:
    """donislawdev/TestingFilesGenerator#79: both ended with 0, half of the files missing."""
    forge.write("m.forge.yaml", SHARED)
    for number in range(ROUNDS):
        ids = [f"r{number}-{who}" for who in "xy"]
        commands = [["run", "m.forge.yaml", "--run-id", i, "--input", f"who={i}"] for i in ids]
        assert at_once(forge, commands) == [0, 0]
        for run in ids:
            record = (forge.folder / f"evidence/m/{run}/run.json").read_text()
            assert f'"output":{{"result":"{run}"}}' in record
    told = (forge.folder / "told.txt").read_text().split()
    assert sorted(told) == sorted(f"r{n}-{who}" for n in range(ROUNDS) for who in "xy")
    assert forge("verify", "evidence").code == 0


def test_one_run_id_is_one_run(forge: Forge) -> None:
    """dbos-inc/dbos-transact-java#491: the same id was run twice at once."""
    forge.write("m.forge.yaml", SHARED)
    command = ["run", "m.forge.yaml", "--run-id", "same", "--input", "who=x"]
    assert sorted(at_once(forge, [command] * 4)) == [0, 2, 2, 2]
    assert (forge.folder / "told.txt").read_text() == "x\n"
    assert forge("verify", "evidence").code == 0


COMMANDS = {
    "validate": ["validate", "bad.yaml"],
    "validate as json": ["validate", "bad.yaml", "--format", "json"],
    "plan": ["plan", "m.forge.yaml", "--input", "who=x"],
    "plan as json": ["plan", "m.forge.yaml", "--input", "who=x", "--format", "json"],
    "explain": ["explain", "scope"],
    "schema": ["schema"],
}
BAD = SHARED + "rols: {}\nroles: {x: {capabilities: [b, a, c, q]}, y: {zz: 1}}\nsettings: {aa: 1}\n"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_output_is_the_same_bytes_under_every_hash_seed(forge: Forge, command: list[str]) -> None:
    """corbado/corbado-nodejs#24, broadinstitute/seqr#5010: baselines were of no use."""
    forge.write("m.forge.yaml", SHARED)
    forge.write("bad.yaml", BAD)
    said = {forge(*command, env={"PYTHONHASHSEED": seed}).out for seed in ("0", "1", "4711")}
    assert len(said) == 1
    assert said != {""}


RACE = """forge: 1
settings: {max_concurrency: 4}
budget: {model_calls: 10}
roles:
  r:
    capabilities: []
    outputs: [plan]
    handler: {kind: function, call: "handlers.py:race", max_usage: {model_calls: 3}}
state: {plan: {owner: r}}
work_items:
  a: {role: r, required: false, with: {who: a}, return_channel: "state:plan"}
  b: {role: r, required: false, with: {who: b}, return_channel: "state:plan"}
  c: {role: r, required: false, with: {who: c}, return_channel: "state:plan"}
  d: {role: r, required: false, with: {who: d}, return_channel: "state:plan"}
join: {minimum_successes: 0}
"""
RACING = """
import time
from pathlib import Path
from forge_cli.multiagent.turn import TurnResult

def race(turn):
    who = turn.inputs["who"]
    Path(who).touch()
    while sum(Path(name).exists() for name in "abcd") < 3:
        time.sleep(0.001)
    return TurnResult.done({"plan": f"{who} says so"}, usage={"model_calls": 3})
"""


@pytest.mark.programme
@pytest.mark.parametrize("number", range(size("races")))
def test_of_three_at_a_barrier_one_writes_and_the_fourth_cannot_pay(
    forge: Forge, number: int
) -> None:
    """langchain-ai/langgraph#6446, use-agent-os/agent-os#823: lost updates, stale balances."""
    forge.write("m.forge.yaml", RACE)
    forge.write("handlers.py", RACING)
    assert forge("run", "m.forge.yaml").code == 3
    record = forge.record()
    ends = [(row["status"], row.get("kind", "")) for row in record["items"].values()]
    assert sorted(ends) == [
        ("denied", "budget"),
        ("failed", "conflict"),
        ("failed", "conflict"),
        ("succeeded", ""),
    ]
    assert record["budgets"]["run"]["spent"] == {"model_calls": 9}
    won = next(row for row in record["items"].values() if row["status"] == "succeeded")
    lost = [row for row in record["items"].values() if row.get("kind") == "conflict"]
    said = {won["output"]["plan"], *(row["partial"]["plan"] for row in lost)}
    assert said == {"a says so", "b says so", "c says so"}, "the losers' values are in evidence"
    assert len(record["conflicts"]) == 2
    assert forge("verify", "evidence").code == 0


def test_one_role_twice_at_once_keeps_two_contexts_apart(forge: Forge) -> None:
    """crewAIInc/crewAI#7332, #4817: both shared one executor, and what it had used last."""
    forge.write(
        "handlers.py",
        "import time\nfrom pathlib import Path\n\n\nclass Agent:\n    word = None\n\n\n"
        "def echo(turn):\n    Agent.word = turn.inputs['word']\n    Path(Agent.word).touch()\n"
        "    while not (Path('x').exists() and Path('y').exists()):\n        time.sleep(0.001)\n"
        "    return {'result': Agent.word}\n",
    )
    forge.write(
        "m.forge.yaml",
        """forge: 1
roles: {r: {capabilities: [], handler: {kind: function, call: "handlers.py:echo"}}}
work_items: {one: {role: r, with: {word: x}}, two: {role: r, with: {word: y}}}
""",
    )
    assert forge("run", "m.forge.yaml").code == 0
    outputs = {name: row["output"] for name, row in forge.record()["items"].items()}
    assert outputs == {"one": {"result": "x"}, "two": {"result": "y"}}
