"""Times as text."""

import pytest

from forge_cli.multiagent.times import from_text, to_span, to_text


def test_times_are_rfc_3339_in_utc_with_milliseconds() -> None:
    assert to_text(0) == "1970-01-01T00:00:00.000Z"
    assert to_text(1_796_048_403_007) == "2026-11-30T14:20:03.007Z"


def test_a_time_with_an_offset_is_exact() -> None:
    assert from_text("2027-03-28T02:30:00+02:00") == from_text("2027-03-28T00:30:00Z")
    assert from_text(to_text(1_796_048_403_007)) == 1_796_048_403_007


def test_a_time_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="no offset"):
        from_text("2027-03-28T02:30:00")


def test_a_span_is_a_sum_of_units() -> None:
    assert to_span(5_400_000) == "1h30m"
    assert to_span(86_400_500) == "1d500ms"
    assert to_span(0) == "0s"
