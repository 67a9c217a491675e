import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.canonical import canonical
from forge_cli.evidence.document import difference, parse, render

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)
documents = st.dictionaries(texts, values, max_size=5)


@given(documents)
def test_a_document_comes_back_as_it_was(document: dict[str, Any]) -> None:
    assert parse(b"".join(render(document))) == document


@given(documents)
def test_the_bytes_do_not_depend_on_the_order_of_keys(document: dict[str, Any]) -> None:
    backwards = dict(reversed(document.items()))
    assert b"".join(render(backwards)) == b"".join(render(document))


def test_each_entry_has_a_line_of_its_own() -> None:
    text = b"".join(render({"b": {"y": [1], "x": 2}, "a": [], "c": ["u", "v"]})).decode()
    assert text == '{\n"a": [],\n"b": {\n  "x": 2,\n  "y": [1]\n},\n"c": [\n  "u",\n  "v"\n]\n}\n'


@given(documents)
def test_entries_are_canonical(document: dict[str, Any]) -> None:
    joined = b"".join(render(document)).decode()
    assert canonical(json.loads(joined)) == canonical(document)


@pytest.mark.parametrize("text", ["", "[1]", "{", "nul", "[" * 100_000, "\xff"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"it is not (JSON|a JSON object)"):
        parse(text.encode("latin-1"))


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ("ab\ncd\n", None),
        ("aX\ncd\n", 1),
        ("ab\ncX\n", 2),
        ("ab\ncd", 2),
        ("ab\ncd\n\n", 3),
        ("", 1),
    ],
)
def test_a_difference_is_told_by_its_line(found: str, line: int | None) -> None:
    assert difference(found.encode(), [b"ab", b"\nc", b"d\n"]) == line
