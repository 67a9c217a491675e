"""Whether one schema accepts all that another does: what is proved, and that nothing else is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge_cli.manifest.comparison.inclusion import accepts, includes
from forge_cli.manifest.comparison.samples import witness

STRICTER = [
    (True, {}),
    ({}, {"type": "string"}),
    ({"type": ["string", "null"]}, {"type": "string"}),
    ({"type": "number"}, {"type": "integer"}),
    ({"type": "string"}, {"const": "a"}),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}),
    ({"type": "boolean"}, {"const": True}),
    ({"maximum": 9}, {"maximum": 8}),
    ({"maximum": 9}, {"exclusiveMaximum": 9}),
    ({"exclusiveMaximum": 9}, {"maximum": 8}),
    ({"minimum": 3}, {"exclusiveMinimum": 3}),
    ({"exclusiveMinimum": 3}, {"minimum": 4}),
    ({"maxLength": 9}, {"maxLength": 8}),
    ({"minItems": 1}, {"minItems": 2}),
    ({"required": ["a"]}, {"required": ["b", "a"]}),
    ({"properties": {"a": {"type": "string"}}}, {"additionalProperties": {"type": "string"}}),
    ({"properties": {"a": {"maximum": 9}}}, {"properties": {"a": {"maximum": 8}}}),
    (
        {"additionalProperties": {"type": ["string", "null"]}},
        {"properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "string"}},
    ),
    ({"items": {"maximum": 9}}, {"items": {"maximum": 8}}),
    ({"items": {"maximum": 9}}, {"prefixItems": [{"maximum": 8}], "items": {"maximum": 7}}),
    ({"patternProperties": {"^b": {"maximum": 9}}}, {"patternProperties": {"^b": {"maximum": 8}}}),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "null"}),
    ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ({"maximum": 9}, {"allOf": [{"maximum": 9}, {"minimum": 0}]}),
    ({"allOf": [{"maximum": 9}, {"minimum": 0}]}, {"minimum": 0, "maximum": 9}),
    ({"uniqueItems": False}, {}),
    ({}, {"uniqueItems": True}),
    ({"maxLength": 3}, {"type": "integer"}),
    ({"format": "email"}, {"format": "email", "maxLength": 9}),
    ({"format": "a-word"}, {}),
    (
        {"$ref": "#/$defs/n", "$defs": {"n": {"maximum": 9}}},
        {"$ref": "#/$defs/m", "$defs": {"m": {"maximum": 8}}},
    ),
    (
        {"properties": {"next": {"$ref": "#"}, "n": {"maximum": 9}}},
        {"properties": {"next": {"$ref": "#"}, "n": {"maximum": 8}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("outer", "inner"), STRICTER)
def test_what_is_stricter_is_shown_to_be(outer: Any, inner: Any) -> None:
    assert includes(outer, inner)


DIFFERENT = [
    ({"type": "string"}, {}),
    ({"maximum": 8}, {"maximum": 9}),
    ({"required": ["a"]}, {"required": []}),
    ({"enum": [1]}, {"enum": [True]}),
    ({"const": 0}, {"const": False}),
    ({"properties": {"a": {"type": "string"}}}, {"patternProperties": {"^a": {}}}),
    ({"additionalProperties": False}, {"additionalProperties": False, "properties": {"a": {}}}),
    ({"items": {"type": "string"}}, {"items": {"type": "string"}, "prefixItems": [{}]}),
    ({"contains": {"const": 1}}, {"contains": {"const": 1}, "minContains": 0}),
    ({"if": {"const": 1}, "then": False}, {"if": {"const": 2}, "then": False}),
    ({"$defs": {"x": {"type": "string"}}, "not": {"$ref": "#/$defs/x"}},
     {"$defs": {"x": {"type": "null"}}, "not": {"$ref": "#/$defs/x"}}),
    ({"allOf": [{"$ref": "#"}, {"type": "string"}]}, {}),
    ({"unevaluatedItems": False, "prefixItems": [{}]},
     {"unevaluatedItems": False, "prefixItems": [{}, {}]}),
]  # fmt: skip


@pytest.mark.parametrize(("outer", "inner"), DIFFERENT)
def test_what_is_not_within_is_never_said_to_be(outer: Any, inner: Any) -> None:
    assert not includes(outer, inner)


def test_a_reference_to_itself_without_an_end_proves_nothing() -> None:
    assert not includes({"allOf": [{"$ref": "#"}]}, {"anyOf": [{"$ref": "#"}]})


leaves: st.SearchStrategy[Any] = st.one_of(
    st.just({}),
    st.sampled_from(["string", "integer", "number", "null", "boolean"]).map(lambda t: {"type": t}),
    st.lists(st.sampled_from([None, True, 0, 1, "a", "ab"]), min_size=1).map(lambda v: {"enum": v}),
    st.integers(-2, 2).flatmap(
        lambda n: st.sampled_from(
            ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        ).map(lambda key: {key: n})
    ),
    st.integers(0, 2).flatmap(
        lambda n: st.sampled_from(["minLength", "maxLength", "minItems", "maxItems"]).map(
            lambda key: {key: n}
        )
    ),
)
names = st.sampled_from(["a", "b"])


def grown(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects, lists and branches of schemas."""
    return st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.just("object"),
                "properties": st.dictionaries(names, schemas, max_size=2),
                "required": st.lists(names, unique=True),
                "additionalProperties": schemas,
                "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), schemas),
            },
        ),
        st.fixed_dictionaries(
            {}, optional={"items": schemas, "prefixItems": st.tuples(schemas).map(list)}
        ),
        st.lists(schemas, min_size=1, max_size=2).flatmap(
            lambda several: st.sampled_from(["anyOf", "allOf", "oneOf"]).map(
                lambda key: {key: several}
            )
        ),
        schemas.map(lambda schema: {"not": schema}),
        st.tuples(schemas, schemas).map(lambda two: {**two[0], **two[1]}),
    )


schemas = st.recursive(leaves, grown, max_leaves=6)
values = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, -1, 0.5, "", "a", "ab", "abc"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "ab", "c"]), inner)
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(schemas, schemas, st.lists(values, min_size=1, max_size=8))
def test_no_value_contradicts_what_is_shown(outer: Any, inner: Any, several: list[Any]) -> None:
    if includes(outer, inner):
        for value in several:
            assert accepts(outer, value) or not accepts(inner, value)
        assert witness(inner, outer) is None


@settings(max_examples=100, deadline=None)
@given(schemas)
def test_every_schema_lies_within_itself(schema: Any) -> None:
    assert includes(schema, schema)


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ({"required": ["a"]}, {}, {}),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, "b"),
        ({"maximum": 9}, {"maximum": 12}, 10),
        ({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {}}}, {"a": []}),
        ({"type": "array", "minItems": 1}, {"type": "array"}, []),
    ],
)
def test_a_value_that_is_newly_accepted_is_found(old: Any, new: Any, value: Any) -> None:
    assert witness(new, old) == (value,)
