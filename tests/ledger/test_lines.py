import hashlib
import json
import re
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forge_cli.ledger.lines import GENESIS, read, seal
from forge_cli.multiagent.events import Event

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | texts
    | st.floats(-1e15, 1e15)
    | st.binary(min_size=4, max_size=4).map(lambda data: "sha256:" + data.hex())
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
)
events = st.builds(
    Event,
    time=st.integers(0, 253_402_300_799_999),
    kind=texts,
    item=texts,
    attempt=texts,
    body=st.dictionaries(texts, values, max_size=4),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(events, max_size=4))
def test_a_line_is_the_canonical_text_of_an_object_with_eight_keys(several: list[Event]) -> None:
    for line in seal(several, 1, GENESIS):
        fields = json.loads(line.text)
        assert sorted(fields) == [
            "attempt",
            "body",
            "digest",
            "item",
            "kind",
            "prev",
            "seq",
            "time",
        ]
        assert rfc8785.dumps(fields).decode() == line.text


@given(st.lists(events, max_size=4))
def test_the_digest_is_taken_of_the_line_without_its_digest(several: list[Event]) -> None:
    for line in seal(several, 1, GENESIS):
        fields = json.loads(line.text)
        digest = fields.pop("digest")
        assert digest == "sha256:" + hashlib.sha256(rfc8785.dumps(fields)).hexdigest()


@given(st.lists(events, max_size=4))
def test_each_line_names_the_digest_of_the_one_before(several: list[Event]) -> None:
    lines = list(seal(several, 1, GENESIS))
    assert [line.prev for line in lines] == [GENESIS, *(line.digest for line in lines)][
        : len(lines)
    ]
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1))


@given(st.lists(events, max_size=4))
def test_reading_a_line_gives_back_the_event(several: list[Event]) -> None:
    for line in seal(several, 7, GENESIS):
        assert read(line.text) == line


GOOD = next(seal([Event(0, "run_started", body={"a": 1})], 1, GENESIS)).text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "exactly the keys"),
        (GOOD.replace('"item":"",', ""), "exactly the keys"),
        (GOOD.replace('"seq":1', '"seq":"1"'), "'seq' is \"1\", which is not a whole number"),
        (GOOD.replace('"seq":1', '"seq":true'), "'seq' is true"),
        (GOOD.replace('{"a":1}', "[]"), "'body' is [], which is not an object"),
        (GOOD.replace(":", ": ", 1), "canonical form"),
        (GOOD.replace('"kind":"run_started"', '"kind":"run_ended"'), "the event was changed"),
        (GOOD.replace('{"a":1}', '{"a":2,"a":1}'), "canonical form"),
        (GOOD.replace("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z"), "canonical form"),
        (GOOD.replace("1970-01-01T00:00:00.000Z", "1970-13-01T00:00:00.000Z"), "month"),
        (GOOD.replace("1970-01-01T00:00:00.000Z", "1970-01-01 00:00:00.000Z"), "canonical form"),
    ],
)
def test_any_other_text_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        read(text)


def test_numbers_that_look_like_fractions_within_text_change_nothing() -> None:
    body: dict[str, Any] = {"a": "sha256:3e5", "b": [1.5, "x:1.5"], "c": '":2e1'}
    line = next(seal([Event(0, "k", body=body)], 1, GENESIS))
    assert line.body == rfc8785.dumps(body).decode()
