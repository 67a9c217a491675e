"""The plan as JSON: an exact inverse, without floats of forge's own."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Deadline, Handler, Item, Plan, Retry, Role
from forge_cli.multiagent.plan_document import plan_document, plan_from_document

names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(names, json_values, max_size=3)
st.register_type_strategy(
    Budget, st.builds(Budget, *(st.none() | st.integers(0, 2**53) for _ in range(4)))
)
handlers = st.builds(Handler, names, objects, st.text(max_size=4), st.none() | st.from_type(Budget))
roles = st.builds(
    Role,
    names,
    st.integers(1, 9),
    st.frozensets(names, max_size=2),
    st.lists(names, max_size=2).map(tuple),
    st.lists(names, max_size=2).map(tuple),
    handlers,
    st.none() | st.from_type(Budget),
)
items = st.builds(
    Item,
    item_id=names,
    inputs=objects,
    for_each=json_values,
    deadline=st.none() | st.from_type(Deadline),
    retry=st.none() | st.from_type(Retry),
    labels=st.dictionaries(names, names, max_size=2),
)
plans = st.builds(
    Plan,
    name=names,
    version=names,
    items=st.lists(items, max_size=3).map(lambda found: {item.item_id: item for item in found}),
    roles=st.dictionaries(names, roles, max_size=2),
    schemas=objects,
    context_packages=objects,
    outputs=objects,
    labels=st.dictionaries(names, names, max_size=2),
    files=st.dictionaries(names, names, max_size=2),
)
# A plan has many parts, and on a busy machine each takes its time.
some = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@some
@given(plans)
def test_the_document_reads_back_as_the_same_plan(plan: Plan) -> None:
    document = json.loads(json.dumps(plan_document(plan)))
    assert plan_from_document(document) == plan


def floats(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [found for each in value.values() for found in floats(each)]
    if isinstance(value, list):
        return [found for each in value for found in floats(each)]
    return [value] if isinstance(value, float) else []


@some
@given(plans)
def test_the_document_holds_no_floats_of_its_own(plan: Plan) -> None:
    assert floats(plan_document(plan)) == []


def test_fields_that_have_their_defaults_are_left_out() -> None:
    plan = Plan("a", "1.0.0", {"x": Item("x")}, {}, {})
    assert plan_document(plan) == {
        "format_version": 1,
        "name": "a",
        "version": "1.0.0",
        "items": [{"item_id": "x"}],
        "roles": {},
        "contracts": {},
    }


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 2 cannot be read"):
        plan_from_document({"format_version": 2})


def test_a_field_that_no_plan_has_is_refused() -> None:
    with pytest.raises(ValueError, match="this is no part of a plan"):
        plan_from_document({"format_version": 1, "surprise": True})


def test_items_keep_their_order() -> None:
    plan = Plan("a", "1.0.0", {name: Item(name) for name in ("z", "a")}, {}, {})
    document = json.loads(json.dumps(plan_document(plan), sort_keys=True))
    assert [*plan_from_document(document).items] == ["z", "a"]
