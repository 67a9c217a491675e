"""Behaviour, section 9: which globs are canonical."""

import pytest

from forge_cli.multiagent.glob import STAR, Token, fault, mended, tokens

CANONICAL = [
    "a",
    "a/b.c",
    "**",
    "**/a",
    "a/**/b/**",
    "*.py",
    "a*b*c*d*",
    "?[a-z0-9_-]x",
    ".github/**",
    "..a",
    "...",
    "a:b $x",
    "straße/日本",
    "[]a]",
    "[*?[]x",
    "[a^]",
    "x]",
    "/".join(["*"] * 8 + ["a"] * 8),
]


@pytest.mark.parametrize("glob", CANONICAL)
def test_a_canonical_glob_has_no_fault_and_stands_for_itself(glob: str) -> None:
    assert (fault(glob), mended(glob)) == (None, glob)


REFUSED = [
    ("", "it has an empty segment", "**"),
    (".", "it has the segment '.'", "**"),
    ("/a", "it is absolute, and a scope lies below the workspace", "a"),
    ("a/", "it has an empty segment", "a/**"),
    ("a/.", "it has the segment '.'", "a/**"),
    ("./a", "it has the segment '.'", "a"),
    ("a//b", "it has an empty segment", "a/b"),
    ("a/./b", "it has the segment '.'", "a/b"),
    ("..", "it has the segment '..'", None),
    ("a/../b", "it has the segment '..'", None),
    ("a\\b", "it holds '\\\\': '/' is the separator", "a/b"),
    ("{a,b}", "it holds '{': write one scope for each alternative", None),
    ("a}", "it holds '}': write one scope for each alternative", None),
    ("!a", "it holds '!': a scope says what is allowed, there is no deny", None),
    ("[!a]", "it holds '!': a scope says what is allowed, there is no deny", None),
    ("[^a]", "[^a] in '[^a]' is a denial; write what is allowed", None),
    ("~/a", "it holds '~': a scope lies below the workspace", None),
    ("a**", "'**' in 'a**' is not a whole segment", "a*"),
    ("x/***/y", "'**' in '***' is not a whole segment", "x/*/y"),
    ("*a*a*a*a*", "'*a*a*a*a*' holds 5 '*', at most 4 may", None),
    ("/".join("*" * 9), "9 of its segments hold wildcards, at most 8 may", None),
    ("[a", "'[' in '[a' opens no class; write [[] for the character", None),
    ("[]", "'[' in '[]' opens no class; write [[] for the character", None),
    ("a[b/c]", "'[' in 'a[b' opens no class; write [[] for the character", None),
    ("[z-a]", "z-a in '[z-a]' is backwards; write a-z", None),
    ("a\x00", "it holds the invisible character U+0000", None),
    ("a\nb", "it holds the invisible character U+000A", None),
    ("a\x7f", "it holds the invisible character U+007F", None),
    ("a\u200b", "it holds the invisible character U+200B", None),
    ("a\u202eb", "it holds the invisible character U+202E", None),
    ("a\u3164", "it holds the invisible character U+3164", None),
    ("a\ufe0f", "it holds the invisible character U+FE0F", None),
    ("a\U000e0041", "it holds the invisible character U+E0041", None),
    ("\ud800", "it holds the invisible character U+D800", None),
    ("e\u0301", "it is not in Unicode's composed form (NFC)", "\u00e9"),
]


@pytest.mark.parametrize(("glob", "why", "better"), REFUSED)
def test_what_is_not_canonical_is_refused_and_mended_if_possible(
    glob: str, why: str, better: str | None
) -> None:
    assert (fault(glob), mended(glob)) == (why, better)


def test_a_segment_is_made_of_tokens() -> None:
    assert tokens("a*[b-dx]") == (
        Token((("a", "a"),), wild=False),
        STAR,
        Token((("b", "d"), ("x", "x"))),
    )


@pytest.mark.parametrize("segment", ["[-a]", "[a-]"])
def test_a_hyphen_first_or_last_in_a_class_is_itself(segment: str) -> None:
    (token,) = tokens(segment)
    assert set(token.ranges) == {("-", "-"), ("a", "a")}
