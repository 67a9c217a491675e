"""What handlers print is I-JSON, or it is refused with what was seen."""

import pytest

from forge_cli.handlers.answers import AnswerError, parse, shown, text_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' [1, 2.5, "a", null, true]\n', [1, 2.5, "a", None, True]),
        ("9007199254740991", 2**53 - 1),
        ("-9007199254740991", 1 - 2**53),
        ("1e300", 1e300),
        (r'"\ud83d\ude00"', "😀"),
        ("[" * 100 + "]" * 100, None),
    ],
)
def test_i_json_is_read(text: str, value: object) -> None:
    read = parse(text.encode(), "it")
    assert value is None or read == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"9007199254740992", "9007199254740992 is beyond 2^53"),
        (b"-9007199254740992", "-9007199254740992 is beyond 2^53"),
        (b"1" * 5_000, "is beyond 2^53"),
        (b"NaN", "NaN is no JSON number"),
        (b"[-Infinity]", "-Infinity is no JSON number"),
        (b"1e999", "1e999 is beyond every double"),
        (rb'"\ud800"', "U+D800 is half of a surrogate pair"),
        (rb'{"\uDFFF": 1}', "U+DFFF is half of a surrogate pair"),
        (b'{"a": {"b": 1, "b": 1}}', "key 'b' is there twice"),
        (b"\xff", "it is not UTF-8: byte 0xff at position 0"),
        (b"\xef\xbb\xbf{}", "it reads '\\ufeff{}'"),
        (b"", "it reads nothing"),
        (b"{", "it reads '{'"),
        (b"[" * 101 + b"]" * 101, "it is nested over 100 levels deep"),
        (b'{"a":' * 50_000, "it is nested over 100 levels deep"),
    ],
)
def test_anything_else_is_refused_with_what_was_seen(data: bytes, message: str) -> None:
    with pytest.raises(AnswerError) as refusal:
        parse(data, "it")
    assert message in str(refusal.value)


def test_many_shallow_values_are_not_deep() -> None:
    assert len(parse(b"[" + b"[]," * 500 + b"[]]", "it")) == 501


def test_what_is_shown_is_short_and_harmless() -> None:
    assert shown(b"a\x1b\xff" + b"x" * 1_000) == "'a\\x1b\\\\xff" + "x" * 194 + "'..."


def test_text_is_utf_8() -> None:
    assert text_of("ü".encode(), "it") == "ü"
