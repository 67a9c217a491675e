"""There is a step for each file that the planner finds, and one that fails undoes them all."""

import json
import os
from pathlib import Path

from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Wishes, prepare
from forge_cli.app.run import opened
from tests.manifests.test_shipped import NOW, run

SETTINGS = Path("manifests/dynamic-migration/settings")


def test_each_file_is_moved_by_a_step_that_may_touch_no_other(workspace: Path) -> None:
    evidence = run("dynamic-migration", workspace)
    record = json.loads((evidence / "run.json").read_text("utf-8"))
    steps = [f"plan.step-1-1-{number}" for number in (1, 2, 3)]
    assert record["delegations"]["item:plan"] == steps
    assert record["items"][steps[2]]["output"]["file"] == (SETTINGS / "shop.json").as_posix()
    events = map(json.loads, (evidence / "events.jsonl").read_text("utf-8").splitlines())
    (inserted,) = (event for event in events if event["kind"] == "steps_inserted")
    assert [step["writes"] for step in inserted["body"]["steps"]] == [
        [f"files:{(SETTINGS / name).as_posix()}.*"] for name in ("mail", "search", "shop")
    ]


def test_a_file_that_cannot_be_moved_puts_all_back(workspace: Path) -> None:
    (workspace / SETTINGS / "search.ini").write_text("no section\n", "utf-8")
    before = {path.name: path.read_text("utf-8") for path in (workspace / SETTINGS).iterdir()}
    manifest = workspace / "manifests" / "dynamic-migration.yaml"
    found = compiled(manifest, NOW, workspace)
    assert found.plan is not None
    wishes = Wishes(workspace=workspace, run_id="once")
    ended = opened(prepare(found, found.plan, manifest, wishes, NOW, os.environ)).execute()
    assert ended.status == "failed"
    after = {path.name: path.read_text("utf-8") for path in (workspace / SETTINGS).iterdir()}
    assert after == before
