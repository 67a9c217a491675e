"""Durations, times, money and references: what is read, and what is refused with which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.manifest.meaning.limits import amount
from forge_cli.manifest.meaning.values import (
    DURATION_FORMS,
    TIME_FORMS,
    Fault,
    Reference,
    deadline,
    duration,
    instant,
    money,
    reference,
)
from forge_cli.multiagent.plan import Deadline


def fault(found: object) -> Fault:
    assert isinstance(found, Fault)
    return found


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("90s", 90_000),
        ("15m", 900_000),
        ("2h", 7_200_000),
        ("1d", 86_400_000),
        ("1h30m", 5_400_000),
        ("1d2h3m4s", 93_784_000),
        ("0s", 0),
    ],
)
def test_a_duration_is_a_sum_of_days_hours_minutes_and_seconds(
    text: str, milliseconds: int
) -> None:
    assert duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "90", "1h 30m", "30m1h", "1.5h", "-1h", "1w", "１h", "1H"])
def test_what_is_not_a_sum_is_refused_with_the_accepted_forms(text: str) -> None:
    assert DURATION_FORMS in fault(duration(text)).hint


def test_a_relative_day_has_86400_seconds_whatever_the_clocks_do() -> None:
    assert duration("24h") == duration("1d") == 86_400_000


@pytest.mark.parametrize("text", ["22:22", "1:30", "12:30:00", "09:30"])
def test_clock_readings_are_refused_the_same_way_as_deadlines(text: str) -> None:
    refusal = fault(deadline(text))
    assert refusal.message == f"{text!r} is neither a duration nor a time"
    assert DURATION_FORMS in refusal.hint
    assert TIME_FORMS in refusal.hint


@pytest.mark.parametrize("text", ["22:22", "1:30", "12:30:00", "09:30"])
def test_clock_readings_are_refused_the_same_way_as_durations(text: str) -> None:
    refusal = fault(duration(text))
    assert refusal.message == f"{text!r} can be read as minutes, as hours or as a time of day"
    assert DURATION_FORMS in refusal.hint


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("2026-08-30T19:00:00Z", 1_788_116_400_000),
        ("2027-03-28T02:30:00+01:00", 1_806_197_400_000),
        ("1970-01-01T00:00:00.1239Z", 123),
    ],
)
def test_a_time_with_an_offset_is_exact(text: str, milliseconds: int) -> None:
    assert instant(text) == milliseconds


def test_a_time_without_an_offset_is_refused_with_one_that_can_be_typed() -> None:
    refusal = fault(deadline("2027-03-28T02:30"))
    assert "no offset" in refusal.message
    assert "2027-03-28T02:30:00Z" in refusal.hint


def test_a_date_alone_is_refused() -> None:
    assert "no offset" in fault(deadline("2026-08-30")).message


@pytest.mark.parametrize(
    "text", ["2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "2026-02-30T00:00:00Z"]
)
def test_a_month_13_and_an_hour_25_are_refused(text: str) -> None:
    assert "no day and time that exist" in fault(instant(text)).message


def test_a_deadline_is_a_time_or_a_span() -> None:
    assert deadline("90m") == Deadline(within=5_400_000)
    assert deadline("1970-01-01T00:00:01Z") == Deadline(at=1_000)


def test_a_deadline_of_no_length_is_refused() -> None:
    assert "no time at all" in fault(deadline("0s")).message


@pytest.mark.parametrize(
    ("value", "micro_dollars"),
    [
        (12, 12_000_000),
        (0, 0),
        (0.1, 100_000),
        (3.0, 3_000_000),
        ("12.50", 12_500_000),
        ("0.000001", 1),
        (0.000123, 123),
    ],
)
def test_money_is_exact_to_the_micro_dollar(value: str | float, micro_dollars: int) -> None:
    assert money(value) == micro_dollars


@pytest.mark.parametrize(
    "value", ["1e3", "1.0e+999", ".nan", ".inf", "-1", -1, 1e-7, 1e22, "0.0000001", "", "1_000"]
)
def test_money_that_is_not_plain_decimal_is_refused(value: str | float) -> None:
    assert "six decimals" in fault(money(value)).hint


def test_more_money_than_micro_dollars_can_count_is_refused() -> None:
    assert "9007199254" in fault(money("9999999999")).hint


@given(st.integers(min_value=0, max_value=2**53 - 1))
def test_an_amount_reads_back_as_it_is_shown(micro_dollars: int) -> None:
    assert money(amount("cost_usd", micro_dollars)) == micro_dollars


def test_a_reference_says_what_kind_of_thing_it_names() -> None:
    assert reference("agent:reviewer@4", "agent") == Reference("agent", "reviewer", 4)
    assert reference("agent:reviewer", "agent") == Reference("agent", "reviewer")
    assert reference("schema:findings@3", "schema") == Reference("schema", "findings", 3)
    assert reference("context:brief", "context") == Reference("context", "brief")
    assert reference("state:findings", "state") == Reference("state", "findings")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("reviewer", "agent"),
        ("schema:findings@3", "agent"),
        ("agent:Reviewer", "agent"),
        ("schema:findings", "schema"),
        ("state:findings@2", "state"),
        ("context:", "context"),
    ],
)
def test_a_reference_of_another_kind_or_form_is_refused(text: str, kind: str) -> None:
    assert f"{kind}:" in fault(reference(text, kind)).hint
