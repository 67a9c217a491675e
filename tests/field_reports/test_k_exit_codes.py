"""Exit codes that a CI job can go by, the same in every output format."""

import pytest

from tests.field_reports.processes import Forge

HEAD = "forge: 1\nwork_items:\n"
FORMS = pytest.mark.parametrize("form", ["text", "jsonl"])

ENDS = {
    "complete": (0, "  a: {run: ['true'], capabilities: []}\n"),
    "failed": (1, "  a: {run: ['false'], capabilities: []}\n"),
    "degraded": (
        3,
        """  a: {run: ['true'], capabilities: []}
  b: {run: ['false'], capabilities: [], required: false}
""",
    ),
    "paused": (4, "  a: {run: ['false'], capabilities: [], on_failure: escalate}\n"),
}


@FORMS
@pytest.mark.parametrize("status", ENDS)
def test_each_status_has_its_code_in_each_format(forge: Forge, status: str, form: str) -> None:
    """github/spec-kit#2958, frankbria/codeframe#375, joergen7/cuneiform#56: failed, and 0."""
    code, items = ENDS[status]
    forge.write("m.forge.yaml", HEAD + items)
    assert forge("run", "m.forge.yaml", "--format", form).code == code
    assert forge.record()["run"]["status"] == status


@pytest.mark.parametrize(
    ("option", "status"), [("--allow-degraded", "degraded"), ("--allow-paused", "paused")]
)
def test_a_status_that_is_allowed_is_0(forge: Forge, option: str, status: str) -> None:
    forge.write("m.forge.yaml", HEAD + ENDS[status][1])
    assert forge("run", "m.forge.yaml", option).code == 0


def test_nothing_that_matches_is_no_success(forge: Forge) -> None:
    """dbt-labs/dbt-core#11852: a selector that matched nothing ended with 0."""
    assert forge("validate").code == 5
    assert forge("run").code == 2
    assert forge("verify").code == 5
    forge.write("m.forge.yaml", HEAD + ENDS["complete"][1])
    assert forge("run", "m.forge.yaml", "--only", "typo").code == 2
    assert forge("run", "m.forge.yaml", "--input", "typo=1").code == 2
    assert not (forge.folder / ".forge").exists()


def test_what_did_not_run_because_of_a_failure_says_so(forge: Forge) -> None:
    """dbt-labs/dbt-core#1053, #1093: skipped because of an error counted as a skip, with 0."""
    forge.write(
        "m.forge.yaml",
        HEAD + "  a: {run: ['false'], capabilities: [], required: false}\n"
        "  b: {run: ['true'], capabilities: [], required: false, depends_on: [a]}\n"
        "  c: {run: ['true'], capabilities: []}\n",
    )
    assert forge("run", "m.forge.yaml").code == 3
    items = forge.record()["items"]
    assert [items[name]["status"] for name in "abc"] == ["failed", "blocked", "succeeded"]
    assert "'a'" in items["b"]["reason"]


def test_the_first_failure_is_the_one_that_is_named(forge: Forge) -> None:
    """PennLINC/xcp_d#622: the failure surfaced one step later."""
    forge.write(
        "m.forge.yaml",
        HEAD + "  first: {run: ['false'], capabilities: [], on_failure: continue}\n"
        "  second: {run: ['false'], capabilities: [], after: [first]}\n",
    )
    said = forge("run", "m.forge.yaml")
    assert said.code == 1
    assert said.out.startswith("FAILED  'first' ")
