"""How jobs of GitHub's workflows become items."""

import pytest

from forge_cli.manifest.shape.steps import items


def test_each_step_waits_for_the_one_before_and_the_last_has_the_name_of_the_job() -> None:
    jobs = {
        "build": {"steps": [{"uses": "actions/checkout@v4"}, {"run": "make"}, {"run": "make x\n"}]},
        "test": {"needs": "build", "steps": [{"run": "make test | tee log"}]},
        "ship": {"needs": ["build", "test"], "steps": [{"run": "make ship"}, {"run": "make news"}]},
    }
    assert items(jobs) == [
        "build-1: {run: [make], capabilities: []}",
        "build: {run: [make, x], capabilities: [], depends_on: [build-1]}",
        'test: {script: "make test | tee log", capabilities: [], depends_on: [build]}',
        "ship-1: {run: [make, ship], capabilities: [], depends_on: [build, test]}",
        "ship: {run: [make, news], capabilities: [], depends_on: [ship-1]}",
    ]


@pytest.mark.parametrize(
    "jobs",
    [
        {},
        {"build": None},
        {"build": {"steps": [{"uses": "actions/checkout@v4"}]}},
        {"build": {"steps": ["make"]}},
        {"build": {"steps": {"run": "make"}}},
        {"Build It": {"steps": [{"run": "make"}]}},
        {"build": {"steps": [{"run": "make " + "x" * 120}]}},
        {"build": {"steps": [{"run": "make"}] * 9}},
    ],
)
def test_what_is_not_plain_is_left_to_the_author(jobs: dict[str, object]) -> None:
    assert items(jobs) == []
