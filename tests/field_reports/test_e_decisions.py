"""Decisions of persons: what was approved is what runs, and nothing waits where nobody is asked."""

import os
import pty

import pytest

from tests.field_reports.processes import Forge


def holding(forge: Forge) -> None:
    """The evidence of the run holds."""
    assert forge("verify", "evidence").code == 0


def test_an_approval_is_awaited_and_given(forge: Forge) -> None:
    forge.write(
        "m.forge.yaml",
        """forge: 1
work_items:
  build: {run: [echo, built], capabilities: []}
  push:
    script: echo "$INPUT_X" >> pushed
    with: {x: "${items.build.outputs.result}"}
    capabilities: [process]
    risk: irreversible
""",
    )
    paused = forge("run")
    assert paused.code == 4
    assert not (forge.folder / "pushed").exists()
    line = next(line for line in paused.out.splitlines() if line.startswith("  approve "))
    words = line.split("  ")[2].split()
    assert words[0] == "forge"
    assert forge("resume", "--approve", "push@00000000").code == 2
    unnamed = forge("resume", "--approve", "push")
    assert unnamed.code == 2
    assert f"--approve {words[-1]}" in " ".join(unnamed.err.split())
    assert forge("resume", "--allow-paused").code == 0
    assert forge(*words[1:]).code == 0
    assert (forge.folder / "pushed").read_text() == "built\n"
    (approval,) = forge.record()["approvals"]
    assert approval["answer"]["decision"] == "approve"
    holding(forge)


def test_a_paused_item_is_reissued_with_less(forge: Forge) -> None:
    forge.write(
        "handlers.py",
        "def write(turn):\n"
        "    if not turn.inbox:\n"
        "        raise RuntimeError('it wanted more than it may')\n"
        "    return {'result': [turn.inbox[0].payload['reason'], list(turn.grant.writes)]}\n",
    )
    forge.write(
        "m.forge.yaml",
        """forge: 1
roles:
  writer:
    capabilities: [write]
    handler: {kind: function, call: "handlers.py:write"}
work_items:
  w: {role: writer, writes: ["files:src/**"], on_failure: escalate}
""",
    )
    assert forge("run").code == 4
    wider = forge("resume", "--reissue", "w", "--narrow", "writes=files:**")
    assert wider.code == 2
    assert "writes would reach 'files:**'" in wider.err
    resumed = forge("resume", "--reissue", "w", "--narrow", "writes=files:src/a/**")
    assert resumed.code == 0
    reason, writes = forge.record()["items"]["w"]["output"]["result"]
    assert "it wanted more than it may" in reason
    assert writes == ["files:src/a/**"]
    holding(forge)


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 4)])
def test_a_person_at_the_terminal_is_asked_for_an_approval(
    forge: Forge, answer: str, code: int
) -> None:
    forge.write(
        "m.forge.yaml",
        "forge: 1\nwork_items:\n"
        "  a: {run: [touch, made], capabilities: [process], risk: irreversible}\n",
    )
    ours, theirs = pty.openpty()
    process = forge.start("run", stdin=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(ours, 4096)
    assert b"approve 'a' with these inputs" in shown
    os.write(ours, f"{answer}\n".encode())
    process.communicate(timeout=60)
    assert process.returncode == code
    os.close(ours)
    assert (forge.folder / "made").exists() is (answer == "y")
    holding(forge)


CHOICE = """forge: 1
roles:
  r:
    capabilities: [read]
    outputs: [value, risk]
    handler: {kind: function, call: "handlers.py:propose"}
work_items:
  choose:
    pattern: resolve
    on_failure: escalate
    sub_tasks:
      drop: {role: r, with: {risk: irreversible}, required: false, on_failure: fail}
      move: {role: r, with: {risk: irreversible}, required: false, on_failure: fail}
outputs: {chosen: "${items.choose.outputs.resolution}"}
"""
PROPOSE = """
from pathlib import Path

def propose(turn):
    with open("log", "a") as log:
        log.write(turn.item_id + "\\n")
    if Path("broken").exists():
        raise RuntimeError("it cannot say")
    return {"value": turn.item_id, "risk": turn.inputs["risk"]}
"""


def choosing(forge: Forge) -> None:
    forge.write("m.forge.yaml", CHOICE)
    forge.write("handlers.py", PROPOSE)


def test_one_of_irreversible_proposals_wins_when_a_person_approves_these(forge: Forge) -> None:
    choosing(forge)
    paused = forge("run")
    assert paused.code == 4
    assert "'choose' awaits an approval" in paused.out
    line = next(line for line in paused.out.splitlines() if line.startswith("  approve "))
    other = forge("resume", "--reissue", "choose")
    assert other.code == 2
    assert "'choose' is paused; it takes  --approve, --deny" in other.err
    assert forge("resume", "--approve", "choose@00000000").code == 2
    assert forge(*line.split("  ")[2].split()[1:]).code == 0
    record = forge.record()
    assert record["run"]["outputs"]["chosen"]["winner"] == "drop"
    (approval,) = record["approvals"]
    assert approval["answer"]["decision"] == "approve"
    assert approval["answer"]["by"]
    (resolution,) = record["resolutions"]
    assert [row["agent"] for row in resolution["proposals"]] == ["drop", "move"]
    assert sorted((forge.folder / "log").read_text().split()) == ["choose.drop", "choose.move"]
    holding(forge)


def test_a_group_whose_parts_have_ended_is_made_again_by_another_run(forge: Forge) -> None:
    """snakemake/snakemake#1318: the way to recover that was recommended did not recover."""
    choosing(forge)
    forge.write("broken", "")
    paused = forge("run", "--run-id", "one")
    assert paused.code == 4
    assert "no_proposals" in paused.out
    refused = forge("resume", "--reissue", "choose")
    assert refused.code == 2
    assert "its parts have ended, and nothing that has ended is begun again" in refused.err
    (forge.folder / "broken").unlink()
    command = refused.err.rpartition(":  forge ")[2].split()
    again = forge(*command, "--run-id", "two")
    assert again.code == 4
    assert "'choose' awaits an approval" in again.out
