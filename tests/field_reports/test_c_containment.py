"""What a failure, a timeout and a deadline stop, and what they leave to go on."""

from tests.field_reports.processes import Forge, runs

HEAD = "forge: 1\nwork_items:\n"


def test_a_required_failure_stops_the_other_branch(forge: Forge) -> None:
    """argoproj/argo-workflows#13979: other branches went on in spite of fail-fast."""
    forge.write(
        "m.forge.yaml",
        HEAD + "  slow: {script: 'echo $$ > slow.pid; exec sleep 600', capabilities: []}\n"
        "  late:\n"
        "    script: 'while [ ! -s slow.pid ]; do sleep 0.02; done; exec sleep 600'\n"
        "    capabilities: []\n"
        "    timeout: 1s\n",
    )
    assert forge("run", "m.forge.yaml").code == 1
    items = forge.record()["items"]
    assert items["late"]["status"] == "failed"
    assert items["slow"]["status"] == "cancelled"
    assert not runs(forge.pid("slow.pid"))


def test_a_timeout_of_what_changes_things_waits_for_a_decision(forge: Forge) -> None:
    """An effect whose fate is unknown is called neither success nor failure."""
    item = "  a: {run: [sleep, '600'], capabilities: [write], timeout: 1s}\n"
    forge.write("m.forge.yaml", HEAD + item)
    assert forge("run", "m.forge.yaml").code == 4
    assert forge.record()["items"]["a"]["status"] == "indeterminate"


def test_a_retry_that_succeeds_makes_the_run_complete(forge: Forge) -> None:
    """argoproj/argo-workflows#885, #1219: the retry succeeded and the DAG stayed failed."""
    forge.write(
        "m.forge.yaml",
        HEAD + "  a:\n"
        "    script: '[ -e once ] || { touch once; exit 1; }'\n"
        "    capabilities: []\n"
        "    on_failure: {retry: {max_attempts: 2, backoff: 1s, on: [error]}, then: fail}\n",
    )
    assert forge("run", "m.forge.yaml").code == 0
    item = forge.record()["items"]["a"]
    assert (item["status"], item["attempts"]) == ("succeeded", 2)
    assert [turn["answer"] for turn in item["turns"]] == ["failed", "done"]


def test_output_of_a_program_that_then_fails_is_not_taken(forge: Forge) -> None:
    """snakemake/snakemake#3808: a failed job was recorded as complete, its output kept."""
    forge.write(
        "m.forge.yaml",
        HEAD + "  a:\n"
        '    script: \'echo "{\\"x\\": 1}" > "$FORGE_RESULT"; exit 1\'\n'
        "    capabilities: []\n"
        "    outputs: [x]\n",
    )
    assert forge("run", "m.forge.yaml").code == 1
    record = forge.record()
    assert record["items"]["a"]["status"] == "failed"
    assert record["state_versions"] == []


def test_nothing_is_written_by_a_handler_behind_its_end(forge: Forge) -> None:
    """errhythm/ccswap#5: nested programs went on spending behind the end."""
    spend = "(setsid sh -c 'while :; do echo spent >> costs.txt; sleep 0.02; done' &)"
    forge.write(
        "m.forge.yaml",
        HEAD + "  a:\n"
        f'    script: "{spend}; while [ ! -s costs.txt ]; do sleep 0.02; done; exit 1"\n'
        "    capabilities: []\n"
        "    required: false\n"
        "  b:\n"
        '    script: "wc -l < costs.txt; sleep 0.3; wc -l < costs.txt"\n'
        "    capabilities: []\n"
        "    after: [a]\n",
    )
    assert forge("run", "m.forge.yaml").code == 3
    record = forge.record()
    before, after = record["items"]["b"]["output"]["result"].split()
    assert before == after


def test_a_deadline_that_has_passed_is_refused(forge: Forge) -> None:
    forge.write(
        "m.forge.yaml",
        "deadline: 2020-01-01T00:00:00Z\n" + HEAD + "  a: {run: ['true'], capabilities: []}\n",
    )
    assert forge("validate", "m.forge.yaml").code == 0
    assert forge("run", "m.forge.yaml").code == 2
