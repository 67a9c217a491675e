"""The labs end as they say, and their evidence is the tracked one, byte for byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence.verify import verify
from tests.manifests.reference import EVIDENCE, FIXED, ROOT, produce

LABS = sorted(path.stem for path in (ROOT / "manifests" / "labs").glob("*.yaml"))


def record(lab: str) -> dict[str, Any]:
    """What the tracked evidence of a lab says of its run."""
    found: dict[str, Any] = json.loads((EVIDENCE / lab / "run.json").read_text("utf-8"))
    return found


def lines(lab: str) -> list[dict[str, Any]]:
    """The tracked events of a lab."""
    text = (EVIDENCE / lab / "events.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_there_are_seven() -> None:
    assert [lab[:2] for lab in LABS] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.parametrize("lab", LABS)
def test_a_run_gives_the_tracked_evidence_byte_for_byte(lab: str, workspace: Path) -> None:
    made = workspace / "made"
    produce(workspace / "manifests" / "labs" / f"{lab}.yaml", workspace, made)
    for name in FIXED:
        assert (made / name).read_bytes() == (EVIDENCE / lab / name).read_bytes()


@pytest.mark.parametrize("lab", LABS)
def test_the_tracked_evidence_holds(lab: str) -> None:
    assert [check.sentence for check in verify(EVIDENCE / lab) if not check.ok] == []


@pytest.mark.parametrize("lab", LABS)
def test_the_experiment_is_named_after_its_folder(lab: str) -> None:
    assert record(lab)["plan"]["name"] == f"multi-agent-orchestration-{lab}"


def test_01_each_turn_got_its_item_s_grant_and_not_its_role_s() -> None:
    items = record("01-role-contracts")["items"]
    assert items["research"]["output"]["granted"] == ["repository-read"]
    assert items["build"]["output"]["granted"] == ["repository-read", "repository-write"]
    assert items["summarise"]["output"]["granted"] == []


def test_02_the_sender_is_the_channel_and_not_what_the_answer_claims() -> None:
    research = record("02-message-contracts")["items"]["research"]
    assert research["output"]["sender"] == "reviewer"
    assert [turn["sender"] for turn in research["turns"]] == ["researcher#research"]


def test_03_each_result_is_one_version_that_names_what_it_had_read() -> None:
    versions = record("03-versioned-shared-state")["state_versions"]
    assert [(v["version"], v["item"], v["read"]) for v in versions] == [
        (1, "read-template", 0),
        (2, "read-renderer", 1),
        (3, "draft", 2),
        (4, "revise", 3),
    ]


def test_04_the_winner_has_the_lowest_risk_and_then_the_most_evidence() -> None:
    output = record("04-conflict-resolution")["items"]["choose"]["output"]["resolution"]
    assert (output["winner"], output["reason"]) == ("flag", "lowest_risk_then_evidence")


def test_05_the_least_privileged_role_did_it_and_the_load_broke_the_tie() -> None:
    items = record("05-supervisor-routing")["items"]
    assert {name: item["role"].partition("@")[0] for name, item in items.items()} == {
        "read": "researcher",
        "write": "builder",
        "test": "maintainer",
        "review": "reviewer-one",
        "review-again": "reviewer-two",
    }


def test_06_the_run_is_degraded_and_not_complete() -> None:
    found = record("06-partial-failure-policy")
    assert found["run"]["status"] == "degraded"
    assert found["items"]["research"]["status"] == "failed"


def test_07_two_items_are_routed_and_committed() -> None:
    found = record("07-coordinated-run")
    assert (found["run"]["status"], found["state_version"]) == ("complete", 2)
    assert [item["role"] for item in found["items"].values()] == ["researcher@1", "builder@1"]


def test_nothing_of_a_machine_is_in_the_events() -> None:
    text = json.dumps([lines(lab) for lab in LABS])
    assert str(ROOT) not in text
    assert "/tmp" not in text
