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
        assert [p.returncode for p in at_once(forge, commands)] == [0, 0]
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
    assert sorted(p.returncode for p in at_once(forge, [command] * 4)) == [0, 2, 2, 2]
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
