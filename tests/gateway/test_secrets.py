"""Secrets are replaced wherever they stand, and in whatever pieces they come."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.errors import ForgeError
from forge_cli.gateway.secrets import MASK, Redactor

CANARY = "kea/7+Zürich \"41'?&="


def test_the_value_itself_is_replaced() -> None:
    assert Redactor({"TOKEN": "hunter22"}).redact("a hunter22 b") == f"a {MASK} b"


def test_bytes_are_replaced_as_texts_are() -> None:
    assert Redactor({"TOKEN": "hunter22"}).redact_bytes(b"\xffhunter22\xff") == b"\xff***\xff"


def test_without_secrets_everything_stays_as_it_is() -> None:
    assert Redactor({}).redact_bytes(b"hunter22") == b"hunter22"


@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"user:"])
@pytest.mark.parametrize("after", [b"", b"z", b"zz", b"@host"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_recognized_at_each_alignment(before, after, encode) -> None:  # type: ignore[no-untyped-def]
    encoded = encode(before + CANARY.encode() + after)
    redacted = Redactor({"TOKEN": CANARY}).redact_bytes(encoded)
    assert MASK.encode() in redacted
    # What is left decodes to less than four bytes of the value on each side of the mask.
    assert len(redacted) <= len(MASK) + 4 * (len(before) + len(after)) // 3 + 8


@pytest.mark.parametrize(
    "encoded",
    [quote(CANARY), quote(CANARY, safe=""), quote_plus(CANARY), quote(CANARY, safe="").lower()],
)
def test_url_encoding_is_recognized(encoded: str) -> None:
    lowered = Redactor({"TOKEN": CANARY.lower()}).redact(encoded.lower())
    assert lowered == MASK
    assert Redactor({"TOKEN": CANARY}).redact(quote(CANARY, safe="")) == MASK


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_value_within_json_is_recognized(ascii_only: bool) -> None:
    document = json.dumps({"key": 'line\n"two"ü'}, ensure_ascii=ascii_only)
    redacted = Redactor({"TOKEN": 'line\n"two"ü'}).redact(document)
    assert json.loads(redacted) == {"key": MASK}


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_a_value_within_json_within_json_is_recognized(inner: bool, outer: bool) -> None:
    said = json.dumps({"key": CANARY}, ensure_ascii=inner)
    redacted = Redactor({"TOKEN": CANARY}).redact(json.dumps([said], ensure_ascii=outer))
    assert json.loads(json.loads(redacted)[0]) == {"key": MASK}


@pytest.mark.parametrize("shown", [repr, ascii])
def test_a_value_as_python_shows_it_is_recognized(shown: Callable[[str], str]) -> None:
    key = "-----BEGIN KEY-----\nZürich\n"
    assert Redactor({"KEY": key}).redact(f"KeyError: {shown(key)}") == f"KeyError: '{MASK}'"


def test_json_values_are_redacted_in_keys_and_at_any_depth() -> None:
    redactor = Redactor({"TOKEN": "hunter22"})
    assert redactor.redact_json({"hunter22": [{"a": "xhunter22", "b": 1}, None]}) == {
        MASK: [{"a": f"x{MASK}", "b": 1}, None]
    }


def test_white_space_around_the_value_does_not_hide_it() -> None:
    assert Redactor({"TOKEN": "hunter22\n"}).redact("[hunter22]") == f"[{MASK}]"


def test_of_two_secrets_the_longer_one_is_replaced_whole() -> None:
    assert Redactor({"A": "hunter22", "B": "hunter22-more"}).redact("hunter22-more") == MASK


@pytest.mark.parametrize("value", ["", "a", "abc", "  abc  "])
def test_a_short_value_is_refused_by_name_and_not_shown(value: str) -> None:
    with pytest.raises(ForgeError) as refusal:
        Redactor({"DEPLOY_KEY": value})
    assert "'DEPLOY_KEY' has fewer than 4 characters" in str(refusal.value)
    assert "abc" not in str(refusal.value)


texts = st.text("abX", max_size=40)


@given(
    secrets=st.lists(st.text("ab", min_size=4, max_size=7), min_size=1, max_size=3),
    pieces=st.lists(texts, max_size=8),
)
def test_the_borders_of_pieces_make_no_difference(secrets: list[str], pieces: list[str]) -> None:
    redactor = Redactor({f"S{n}": secret for n, secret in enumerate(secrets)})
    stream = redactor.stream()
    streamed = b"".join(stream.feed(piece.encode()) for piece in pieces) + stream.finish()
    assert streamed == redactor.redact_bytes("".join(pieces).encode())


@given(st.integers(1, 7))
def test_a_value_across_a_border_is_never_let_out_in_halves(cut: int) -> None:
    stream = Redactor({"TOKEN": "hunter22"}).stream()
    assert stream.feed(b"hunter22"[:cut]) == b""
    assert stream.feed(b"hunter22"[cut:]) + stream.finish() == b"***"


def test_numbers_that_hold_a_secret_are_replaced_as_a_whole() -> None:
    given = {"pin": 7410258, "more": [17410258.5, -7410258, 741, True, None], "7410258": "x7410258"}
    redacted = Redactor({"PIN": "7410258"}).redact_json(given)
    assert redacted == {"pin": MASK, "more": [MASK, MASK, 741, True, None], MASK: f"x{MASK}"}


def test_names_of_a_contract_stay_and_what_is_under_them_does_not() -> None:
    redacted = Redactor({"PIN": "7410258"}).redact_values({"n7410258": 7410258, "b": ["7410258"]})
    assert redacted == {"n7410258": MASK, "b": [MASK]}
