"""Canonical JSON: the quick way writes what the library for RFC 8785 writes."""

from typing import Any

import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from forge_cli.canonical import canonical, digest

TEXTS = st.text() | st.sampled_from([":1.5", '":1.5', '\\":1e5', "[1.5", ",-1E5", "sha256:3e1"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20
)


@settings(deadline=None)
@given(VALUES)
def test_the_text_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value).decode()


def test_a_number_is_written_as_ecmascript_writes_it() -> None:
    assert canonical([1e16, 1.0, -0.0, 1e-7]) == "[10000000000000000,1,0,1e-7]"


def test_a_digest_is_of_the_canonical_text() -> None:
    assert digest({"b": 1.0, "a": "é"}) == digest({"a": "é", "b": 1})
