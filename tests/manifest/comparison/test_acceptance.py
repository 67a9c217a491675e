"""Schemas of results: which accepts more, and the value that shows it."""

from typing import Any

import pytest

from forge_cli.manifest.comparison.acceptance import Completion, completion


@pytest.mark.parametrize(
    ("old", "new", "weight", "direction", "witness"),
    [
        (
            {"enum": ["yes"]},
            {"enum": ["yes", "no"]},
            "breaking",
            "loosened",
            'accepts "no", which it refused before',
        ),
        (
            {"enum": ["yes", "no"]},
            {"enum": ["yes"]},
            "breaking",
            "narrowed",
            'refuses "no", which it accepted before',
        ),
        ({"required": ["a"]}, {"required": ["b"]}, "breaking", "changed", "accepts {b: "),
        (
            {"pattern": "^(a|b)$"},
            {"pattern": "^[ab]$"},
            "breaking",
            "changed",
            "cannot be shown to be narrower",
        ),
        (
            {"pattern": "a+"},
            {"pattern": "a+", "maxLength": 9},
            "breaking",
            "narrowed",
            "accepts less than before",
        ),
        ({}, {"title": "T"}, "compatible", "changed", "accepts the same"),
        (
            {"type": "string"},
            {"anyOf": [{"type": "string"}]},
            "compatible",
            "changed",
            "accepts the same, in other words",
        ),
    ],
)
def test_a_schema_is_told_by_what_it_accepts(
    old: Any, new: Any, weight: str, direction: str, witness: str
) -> None:
    verdict = completion(Completion("v@1", old), Completion("v@1", new))
    assert verdict is not None
    assert (verdict.weight, verdict.direction) == (weight, direction)
    assert verdict.witness.startswith(witness)


def test_the_order_of_keys_is_no_change() -> None:
    one, other = {"type": "string", "maxLength": 3}, {"maxLength": 3, "type": "string"}
    assert completion(Completion("a@1", one), Completion("b@1", other)) is None


def test_a_schema_by_another_name_is_told_by_both_names() -> None:
    verdict = completion(Completion("v@1", {"maximum": 1}), Completion())
    assert verdict is not None
    assert (verdict.old, verdict.new, verdict.direction) == ("v@1", "none", "loosened")


def test_of_long_schemas_the_part_that_differs_is_shown() -> None:
    many = {f"key{n}": {"type": "string"} for n in range(60)}
    old = {"properties": many, "required": ["key1"]}
    verdict = completion(Completion("v@1", old), Completion("v@1", {**old, "required": ["key2"]}))
    assert verdict is not None
    assert verdict.old.startswith("...")
    assert verdict.old.endswith("required: [key1]}")
    assert verdict.new.endswith("required: [key2]}")
