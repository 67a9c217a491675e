"""Taking over: what was accepted once is not asked for again under the same terms."""

import json

from tests.field_reports.processes import Forge

REUSED = """forge: 1
inputs: {{who: {{default: world}}}}
work_items:
  a: {{script: 'echo a >> log; head -c 300000 /dev/zero | tr "\\0" x', capabilities: []}}
  b:
    script: 'echo b >> log; printf %s "hello $INPUT_WHO"'
    with: {{who: "${{inputs.who}}"}}
    depends_on: [a]
    capabilities: []
    evidence: [result]
  c: {{script: 'echo c >> log; {last}', capabilities: [], depends_on: [b]}}
outputs: {{told: "${{items.b.outputs.result}}"}}
"""


def log(forge: Forge) -> list[str]:
    return (forge.folder / "log").read_text().split()


def holding(forge: Forge) -> None:
    """The evidence of all runs holds."""
    assert forge("verify", "evidence").code == 0


def test_a_new_run_takes_over_what_holds_under_the_same_terms(forge: Forge) -> None:
    """langflow-ai/langflow#13633: resuming ran what was before again, and billed it again."""
    forge.write("m.forge.yaml", REUSED.format(last="exit 1"))
    assert forge("run", "--run-id", "old").code == 1
    forge.write("m.forge.yaml", REUSED.format(last="echo fine"))
    assert forge("run", "--run-id", "new", "--reuse", "old").code == 0
    assert log(forge) == ["a", "b", "c", "c"]
    run = json.loads((forge.folder / "evidence/m/new/run.json").read_bytes())
    assert run["items"]["a"]["reused"] == {"run": "old", "attempt": "old/a/1"}
    assert run["run"]["outputs"] == {"told": "hello world"}
    holding(forge)


def test_a_failed_run_counts_what_it_took_over_as_accepted_and_not_as_not_started(
    forge: Forge,
) -> None:
    forge.write("m.forge.yaml", REUSED.format(last="echo fine"))
    forge("run", "--run-id", "one")
    forge.write("m.forge.yaml", REUSED.format(last="exit 1"))
    verdict = forge("run", "--run-id", "two", "--reuse", "one").out.splitlines()[0]
    assert verdict.startswith("FAILED  'c' failed and is required: exit status 1; 2 of 3 items")
    assert "not started" not in verdict


def test_what_was_taken_over_can_be_taken_over_again(forge: Forge) -> None:
    forge.write("m.forge.yaml", REUSED.format(last="echo fine"))
    forge("run", "--run-id", "one")
    forge("run", "--run-id", "two", "--reuse", "one")
    assert forge("run", "--run-id", "three", "--reuse", "two").code == 0
    assert log(forge) == ["a", "b", "c"]
    run = json.loads((forge.folder / "evidence/m/three/run.json").read_bytes())
    assert run["items"]["a"]["reused"]["run"] == "one"


def test_other_inputs_are_other_terms(forge: Forge) -> None:
    forge.write("m.forge.yaml", REUSED.format(last="echo fine"))
    forge("run", "--run-id", "one")
    assert forge("run", "--reuse", "one", "--input", "who=moon").code == 0
    assert log(forge) == ["a", "b", "c", "b"]


def test_a_run_that_is_not_there_cannot_be_taken_over_from(forge: Forge) -> None:
    forge.write("m.forge.yaml", REUSED.format(last="echo fine"))
    assert forge("run", "--reuse", "nope").code == 2
    assert not (forge.folder / "log").exists()


def test_what_was_never_started_is_recorded_and_run_by_the_next(forge: Forge) -> None:
    """dbt-labs/dbt-core#7785, #10590: what never ran was skipped, and a success run again."""
    tail = "  d: {{script: 'echo d >> log', capabilities: [], depends_on: [c]}}\noutputs:"
    manifest = REUSED.replace("outputs:", tail)
    forge.write("m.forge.yaml", manifest.format(last="exit 1"))
    assert forge("run", "--run-id", "old").code == 1
    items = json.loads((forge.folder / "evidence/m/old/run.json").read_bytes())["items"]
    assert items["d"]["status"] in ("blocked", "cancelled")
    assert "turns" not in items["d"]
    forge.write("m.forge.yaml", manifest.format(last="echo fine"))
    assert forge("run", "--run-id", "new", "--reuse", "old").code == 0
    assert log(forge) == ["a", "b", "c", "c", "d"]
