"""Whoever hands work on waits for it, and each child has no more than it needs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.manifests.test_shipped import run

PARCELS = Path("manifests/hierarchical-delivery/parcels.csv")


def record(workspace: Path) -> dict[str, Any]:
    evidence = run("hierarchical-delivery", workspace)
    found: dict[str, Any] = json.loads((evidence / "run.json").read_text("utf-8"))
    return found


@pytest.fixture
def ran(workspace: Path) -> dict[str, Any]:
    return record(workspace)


def test_there_is_a_planner_for_each_district_and_a_checker_for_each_planner(
    ran: dict[str, Any],
) -> None:
    tree = ran["delegations"]
    planners = [f"deliver.child-1-{number}" for number in (1, 2, 3)]
    assert tree["item:deliver"] == planners
    assert [tree[f"item:{name}"] for name in planners] == [
        [f"{name}.child-1-1"] for name in planners
    ]


def test_every_round_visits_all_parcels_of_its_district(ran: dict[str, Any]) -> None:
    rounds = ran["items"]["deliver"]["output"]["rounds"]
    visited = {name: sorted(stop[2] for stop in found["stops"]) for name, found in rounds.items()}
    assert visited == {"harbour": ["p1", "p3", "p4"], "hill": ["p5", "p7"], "mill": ["p2", "p6", "p8"]}
    assert ran["items"]["deliver"]["output"]["longest"] == "mill"


def test_a_district_more_is_a_planner_more(workspace: Path) -> None:
    with (workspace / PARCELS).open("a", encoding="utf-8") as parcels:
        parcels.write("p9,island,20,20\n")
    assert len(record(workspace)["delegations"]["item:deliver"]) == 4
