"""Values held against JSON Schemas: every end of it is a sentence."""

import gc
import itertools
import signal
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from forge_cli.gateway.patience import OvertimeError, within
from forge_cli.gateway.schemas import KEPT, violation
from forge_cli.multiagent.terms import Json

ENDLESS = {"s": {"properties": {"x": {"pattern": "^(a+)+$"}}}}


def test_a_value_that_fits_has_no_violation() -> None:
    assert violation({"s": {"type": "object"}}, "s", {}) == ""


def test_a_violation_names_the_place() -> None:
    schema = {"properties": {"x": {"items": {"type": "string"}}}}
    assert violation({"s": schema}, "s", {"x": ["a", 1]}) == "x[1]: 1 is not of type 'string'"


def test_a_pattern_that_would_go_on_for_ever_is_ended() -> None:
    began = time.monotonic()
    said = violation(ENDLESS, "s", {"x": "a" * 60 + "b"}, seconds=0.2)
    assert said == "it could not be decided within 0.2 s; simplify its patterns"
    assert time.monotonic() - began < 10


def test_the_time_limit_ends_with_the_calculation() -> None:
    before = signal.getsignal(signal.SIGALRM)
    violation(ENDLESS, "s", {"x": "a"}, seconds=5)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_the_time_limit_ends_with_a_calculation_that_fails() -> None:
    with pytest.raises(ZeroDivisionError), within(5):
        1 / 0  # noqa: B018
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_loop_over_python_objects_is_ended_as_well() -> None:
    with pytest.raises(OvertimeError), within(0.1):
        sum(number for number in itertools.count())


def test_another_thread_than_the_main_one_has_no_limit() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(violation, ENDLESS, "s", {"x": "a"}).result() == ""


def test_a_schema_that_refers_to_itself_without_end_fits_nothing() -> None:
    assert violation({"s": {"$ref": "#"}}, "s", {}).startswith("it refers to itself without end")


def test_a_reference_to_nothing_fits_nothing() -> None:
    assert violation({"s": {"$ref": "#/$defs/x"}}, "s", {}).endswith("leads nowhere")


def test_a_type_that_no_metaschema_saw_fits_nothing() -> None:
    said = violation({"s": {"properties": {"x": {"type": "objet"}}}}, "s", {"x": 1})
    assert said.startswith("it cannot be evaluated: UnknownType")


@pytest.mark.parametrize(
    ("format", "good", "bad"),
    [
        ("date", "2026-11-30", "2026-13-30"),
        ("date-time", "2026-11-30T14:00:00Z", "2026-11-30T14:00:00"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("regex", "a+", "("),
        ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8"),
    ],
)
def test_formats_are_checked(format: str, good: str, bad: str) -> None:  # noqa: A002
    schemas = {"s": {"properties": {"x": {"format": format}}}}
    assert violation(schemas, "s", {"x": good}) == ""
    assert violation(schemas, "s", {"x": bad}) == f"x: {bad!r} is not a {format!r}"
    assert violation(schemas, "s", {"x": None}) == ""


def test_a_format_that_is_not_known_demands_nothing() -> None:
    assert violation({"s": {"properties": {"x": {"format": "hostname"}}}}, "s", {"x": "!"}) == ""


def test_schemas_that_are_made_while_forge_runs_do_not_stay() -> None:
    class Schemas(dict[str, Json]):
        """Can be told to be gone, which a dict cannot."""

    first = Schemas({"s": {"type": "object"}})
    gone = weakref.ref(first)
    assert violation(first, "s", {}) == ""
    del first
    for _ in range(KEPT):
        assert violation({"s": {"type": "object"}}, "s", {}) == ""
    gc.collect()
    assert gone() is None
