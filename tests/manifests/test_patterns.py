"""What the manifests of the patterns come to: who was heard, what was agreed, and who won."""

import json
from pathlib import Path
from typing import Any

from tests.manifests.test_shipped import run

Items = dict[str, dict[str, Any]]


def items(name: str, workspace: Path) -> Items:
    record = json.loads((run(name, workspace) / "run.json").read_text("utf-8"))
    found: Items = record["items"]
    return found


def test_designers_agree_on_what_nobody_objects_to(workspace: Path) -> None:
    found = items("joint-design", workspace)["design"]["output"]
    board = [(entry["round"], entry["author"], *entry["tags"]) for entry in found["board"]]
    assert board == [
        (1, "api", "ranking"),
        (1, "data", "ranking"),
        (1, "operations", "ranking"),
        (2, "api", "second"),
        (2, "data", "second"),
        (2, "operations", "objection"),
    ]
    assert [entry["text"] for entry in found["board"][3:]] == ["postgresql"] * 3
    assert {found[name]["choice"] for name in ("api", "data", "operations")} == {"sqlite"}
    assert found["conflicts"] == []


def test_who_listens_to_some_tags_reads_these_only(workspace: Path) -> None:
    turns = items("joint-design", workspace)["design.operations"]["turns"]
    assert [turn["heard"] for turn in turns] == [
        {"after": 0, "round": 1, "upto": 0},
        {"after": 0, "round": 2, "upto": 3},
        {"after": 3, "round": 3, "upto": 6},
    ]


def test_the_commander_hears_findings_and_not_the_alarm(workspace: Path) -> None:
    found = items("broadcast-incident", workspace)["incident"]["output"]
    channels = [(entry["author"], entry["channel"]) for entry in found["log"]]
    assert channels[0] == ("watch", "alarms")
    assert sorted(channels[1:]) == [("logs", "findings"), ("metrics", "findings")]
    assert found["command"]["cause"] == "the disk was full"
    assert found["command"]["heard"] == ["incident.logs", "incident.metrics"]


def test_without_one_analyst_the_commander_goes_by_the_other(workspace: Path) -> None:
    (workspace / "manifests/broadcast-incident/data/disk.csv").unlink()
    found = items("broadcast-incident", workspace)
    assert found["incident.metrics"]["status"] == "failed"
    log = [(entry["author"], entry["text"]) for entry in found["incident"]["output"]["log"]]
    assert ("run", "'metrics' ended failed") in log
    assert found["incident.command"]["output"]["heard"] == ["incident.logs"]


def test_what_cannot_be_undone_loses_to_what_is_supported_best(workspace: Path) -> None:
    found = items("resolve-retention", workspace)
    assert found["retention"]["output"]["resolution"]["winner"] == "archive"
    rule = "Records are kept for 3 years and then archived, as 'archive' proposed."
    assert found["draw-up"]["output"] == {"rule": rule}
