"""Scopes, budgets and deadlines: which is wider, and what shows it."""

import pytest

from forge_cli.manifest.comparison.limits import Allowance, Limit, Reach, allowance, limit, reach
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Deadline


@pytest.mark.parametrize(
    ("old", "new", "direction", "witness"),
    [
        (("files:a/**",), ("files:a/**", "files:b"), "widened", "reaches 'b', which"),
        (("files:a/**",), ("files:a/b",), "narrowed", "no longer reaches 'a/x'"),
        (("files:a/**",), ("files:b/**",), "changed", "reaches 'b/x', which"),
        (("net:a.org:443",), ("net:a.org:444",), "changed", "reaches 'a.org:444', which"),
        ((), ("files:a",), "widened", "reaches 'a', which"),
        (("files:a",), None, "widened", "cannot be shown"),
        (None, ("files:a",), "narrowed", ""),
    ],
)
def test_a_scope_is_told_by_the_shortest_path_that_differs(
    old: tuple[str, ...] | None, new: tuple[str, ...] | None, direction: str, witness: str
) -> None:
    verdict = reach(Reach(old), Reach(new))
    assert verdict is not None
    assert verdict.direction == direction
    assert verdict.witness.startswith(witness)
    assert verdict.weight == ("compatible" if direction == "narrowed" else "breaking")


def test_scopes_that_allow_the_same_are_the_same() -> None:
    assert reach(Reach(("files:a/**", "files:a/b")), Reach(("files:a/**",))) is None


def test_an_element_is_the_same_only_of_the_same_list() -> None:
    each = ("files:src/${each}/**",)
    assert reach(Reach(each, ["a", "b"]), Reach(each, ["b", "a"])) is None
    assert reach(Reach(each, "${inputs.x}"), Reach(each, "${inputs.x}")) is None
    wider = reach(Reach(each, ["a"]), Reach(each, ["a", "b"]))
    assert wider is not None
    assert wider.witness == "reaches 'src/b/x', which it could not before"
    other = reach(Reach(each, "${inputs.x}"), Reach(each, "${inputs.y}"))
    assert other is not None
    assert other.weight == "breaking"


def test_a_wildcard_is_wider_than_the_element_it_stands_for() -> None:
    each, any_ = Reach(("files:src/${each}/**",), "${inputs.x}"), Reach(("files:src/*/**",))
    verdict = reach(each, any_)
    assert verdict is not None
    assert (verdict.weight, verdict.direction) == ("breaking", "widened")


RUN = Budget(model_calls=60)


def test_a_budget_that_is_gone_is_as_wide_as_what_is_above_it() -> None:
    verdict = allowance(
        Allowance(Budget(model_calls=9), Budget(model_calls=9)), Allowance(None, RUN)
    )
    assert verdict is not None
    assert (verdict.direction, verdict.witness) == ("widened", "model_calls 9 -> 60")


def test_a_budget_as_large_as_the_one_above_changes_what_is_reserved() -> None:
    verdict = allowance(Allowance(None, RUN), Allowance(RUN, RUN))
    assert verdict is not None
    assert (verdict.weight, verdict.direction) == ("behavioural", "changed")


def test_a_dimension_without_a_limit_is_wider_than_any() -> None:
    old = Budget(model_calls=9, cost_usd=2_500_000)
    verdict = allowance(Allowance(old, old), Allowance(RUN, RUN))
    assert verdict is not None
    assert verdict.witness == "model_calls 9 -> 60, cost_usd 2.5 -> no limit"


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (Deadline(within=2), Deadline(within=3), "widened"),
        (Deadline(at=2), Deadline(at=1), "narrowed"),
        (Deadline(at=2), Deadline(at=2, within=1), "narrowed"),
        (Deadline(within=2), Deadline(at=2), "changed"),
    ],
)
def test_a_deadline_is_later_if_some_run_could_end_later(
    old: Deadline, new: Deadline, direction: str
) -> None:
    verdict = limit(Limit(old, old), Limit(new, new))
    assert verdict is not None
    assert verdict.direction == direction
    assert verdict.weight == ("compatible" if direction == "narrowed" else "breaking")


def test_many_elements_reach_no_more_than_before_only_where_they_are_the_same() -> None:
    each = ("files:src/${each}/**",)
    many = [f"n{number}" for number in range(1_001)]
    assert reach(Reach(each, many), Reach(each, many)) is None
    other = reach(Reach(each, many), Reach(each, [*many, "secret"]))
    assert other is not None
    assert other.weight == "breaking"
