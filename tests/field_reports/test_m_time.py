"""Deadlines and durations across changes of the clock, in whatever zone forge runs."""

import time
from datetime import datetime

import pytest

from forge_cli.engines.local import SystemClock
from forge_cli.multiagent.times import from_text
from tests.field_reports.processes import Forge

HELLO = "forge: 1\nwork_items: {a: {run: [date, '+%s'], capabilities: []}}\n"
ZONES = ("UTC", "Pacific/Auckland", "America/New_York")


def deadline(forge: Forge, text: str, zone: str) -> str:
    """The deadline that is recorded for a run in this time zone."""
    forge.write("m.forge.yaml", HELLO + f"deadline: {text}\n")
    assert forge("run", "m.forge.yaml", env={"TZ": zone}).code == 0
    recorded: str = forge.record()["run"]["deadline"]
    return recorded


def test_a_time_without_an_offset_is_refused_with_one(forge: Forge) -> None:
    """devilry/devilry-django#1331, zhayujie/CowAgent#3189: an hour out across DST."""
    forge.write("m.forge.yaml", HELLO + "deadline: 2027-03-28T02:30\n")
    said = forge("validate", "m.forge.yaml", env={"TZ": "Pacific/Auckland"})
    assert said.code == 1
    assert "has no offset from UTC" in said.out


@pytest.mark.parametrize("zone", ZONES)
def test_a_time_with_an_offset_is_exact_in_every_zone(forge: Forge, zone: str) -> None:
    """nielsfaber/scheduler-component#94: today's offset was used for another day."""
    assert deadline(forge, "2036-03-30T02:30:00+01:00", zone) == "2036-03-30T01:30:00.000Z"


@pytest.mark.parametrize("zone", ZONES)
def test_24_hours_have_86400_seconds_in_every_zone(forge: Forge, zone: str) -> None:
    """ansible/awx#15809: arithmetic on local times ignored DST."""
    until = from_text(deadline(forge, "24h", zone))
    assert until - from_text(forge.record()["run"]["started"]) == 86_400_000


def test_recorded_times_are_utc_whatever_the_zone(forge: Forge) -> None:
    """dronekit/dronekit-python#592, juju/juju#6940: local times made fresh rows look old."""
    before = int(datetime.now().timestamp()) * 1000  # noqa: DTZ005  the machine's own view
    forge.write("m.forge.yaml", HELLO)
    assert forge("run", "m.forge.yaml", env={"TZ": "Pacific/Auckland"}).code == 0
    started = from_text(forge.record()["run"]["started"])
    assert before <= started <= before + 120_000
    assert "complete" in forge("runs", env={"TZ": "America/New_York"}).out


def test_a_clock_that_is_set_back_during_a_run_moves_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """oxpull/django-ox#16, xapi-project/sm#578: wall clocks decided about leases and timeouts."""
    clock = SystemClock()
    first = clock.now()
    hour_before = time.time_ns() - 3_600_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: hour_before)
    assert first <= clock.now() < first + 60_000


def test_a_deadline_in_the_past_refuses_a_run_also_where_it_is_ignored(forge: Forge) -> None:
    """A natural neighbour: what a comment ignores in a check must not start a run."""
    text = "forge: 1\nwork_items: {a: {run: ['true'], capabilities: []}}\n"
    text += "deadline: '2020-01-01T00:00:00Z'  # forge: ignore[deadline-past] kept as it was\n"
    forge.write("m.forge.yaml", text)
    assert forge("validate", "--strict").code == 0
    said = forge("run")
    assert said.code == 2
    assert "2020-01-01" in said.out
