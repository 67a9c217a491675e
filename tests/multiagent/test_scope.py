"""Behaviour, section 9: what scopes match, and which lie within which."""

import pytest

from forge_cli.multiagent.product import MAX_STATES
from forge_cli.multiagent.scope import (
    UNDECIDED,
    Inclusion,
    Scope,
    contains,
    matches,
    overlaps,
    parse,
    top,
)

WITHIN = Inclusion(True)


def beyond(witness: str | None) -> Inclusion:
    return Inclusion(False, witness)


def test_a_files_scope_has_its_segments() -> None:
    assert parse("files:src/**/*.py") == Scope("files", "files:src/**/*.py", ("src", "**", "*.py"))


def test_a_net_scope_has_its_address() -> None:
    assert parse("net:api.example.com:443") == Scope(
        "net", "net:api.example.com:443", ("api.example.com:443",)
    )


REFUSED = [
    ("src/**", "scope 'src/**' has no type; write 'files:src/**'"),
    ("../a", "scope '../a' has no type"),
    (
        "git:main",
        "scope 'git:main' has the unknown type 'git'; write files:<glob> or net:<host>:<port>",
    ),
    (
        "files:a/./b",
        "scope 'files:a/./b' is not canonical: it has the segment '.'; write 'files:a/b'",
    ),
    ("files:../a", "scope 'files:../a' is not canonical: it has the segment '..'"),
    ("net:a", "scope 'net:a' needs a port from 1 to 65535; write net:<host>:<port>"),
    ("net:a:0", "scope 'net:a:0' needs a port from 1 to 65535; write net:<host>:<port>"),
    ("net:a:080", "scope 'net:a:080' needs a port from 1 to 65535; write net:<host>:<port>"),
    ("net:a:65536", "scope 'net:a:65536' needs a port from 1 to 65535; write net:<host>:<port>"),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_a_refused_scope_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="scope") as error:
        parse(text)
    assert str(error.value) == sentence


def test_a_scope_has_at_most_1024_characters() -> None:
    assert parse("files:" + "a" * 1018).kind == "files"
    with pytest.raises(ValueError, match="has 1025 characters, at most 1024 may be"):
        parse("files:" + "a" * 1019)


@pytest.mark.parametrize("host", ["a", "localhost", "x-1.example.com", "127.0.0.1", "1a.b2"])
def test_hosts_are_names_or_four_decimal_numbers(host: str) -> None:
    assert parse(f"net:{host}:1").segments == (f"{host}:1",)


@pytest.mark.parametrize(
    "host",
    [
        *("", "a..b", "-a", "a-", "a_b", "*", "*.a.com", "é", "[::1]", "::1", "user@a", "a/b"),
        *("a" * 64, "127.1", "2130706433", "0x7f", "0177.0.0.1", "256.0.0.1", "1.2.3.4.5", "a.0x1"),
    ],
)
def test_other_hosts_are_refused(host: str) -> None:
    with pytest.raises(ValueError, match="names no canonical host"):
        parse(f"net:{host}:80")


@pytest.mark.parametrize("host", ["API.example.com", "api.example.com."])
def test_the_canonical_host_is_named_where_there_is_one(host: str) -> None:
    with pytest.raises(ValueError, match=r"; write 'net:api\.example\.com:80'$"):
        parse(f"net:{host}:80")


MATCHING = [
    ("files:a", "a"),
    ("files:a/*", "a/b"),
    ("files:*", "a"),
    ("files:a*", "a"),
    ("files:a*", "a.b"),
    ("files:?", "b"),
    ("files:[a-c]", "b"),
    ("files:[]]", "]"),
    ("files:x[.]y", "x.y"),
    ("files:x*y", "x.y"),
    ("files:x?y", "x.y"),
    ("files:**", "a"),
    ("files:**", "a/b/c.d"),
    ("files:a/**", "a/b/c"),
    ("files:a/**/b", "a/b"),
    ("files:a/**/b", "a/x/y/b"),
    ("files:**/b", "b"),
    ("files:.git/**", ".git/config"),
    ("files:.*", ".env"),
    ("files:.*", "..a"),
    ("files:**/.env", "a/.env"),
    ("files:...", "..."),
]


@pytest.mark.parametrize(("scope", "path"), MATCHING)
def test_matching(scope: str, path: str) -> None:
    assert matches([scope], path)


NOT_MATCHING = [
    ("files:a", "A"),
    ("files:a", "a/b"),
    ("files:a/*", "a/b/c"),
    ("files:a?c", "a/c"),
    ("files:a[+-0]c", "a/c"),
    ("files:a*c", "a/c"),
    ("files:a/**", "a"),
    ("files:security/**", "security-evil/x"),
    ("files:[a-c]", "d"),
    ("files:*", ".env"),
    ("files:?env", ".env"),
    ("files:[.]env", ".env"),
    ("files:*.env", ".env"),
    ("files:**", ".git"),
    ("files:**", ".github/a"),
    ("files:**", "a/.env"),
    ("files:**/b", ".a/b"),
    ("files:a/**/b", "a/.x/b"),
    ("files:.*", "."),
    ("files:.*", ".."),
    ("files:.?", ".."),
    ("files:.*/a", "../a"),
    ("files:**", ""),
    ("files:**", "/a"),
    ("files:**", "a/"),
    ("files:**", "a//b"),
    ("files:**", "a/./b"),
    ("files:**", "a/../b"),
    ("files:**", "\udcff"),
    ("net:a:1", "a:1"),
]


@pytest.mark.parametrize(("scope", "path"), NOT_MATCHING)
def test_not_matching(scope: str, path: str) -> None:
    assert not matches([scope], path)


def test_one_of_several_scopes_is_enough_to_match() -> None:
    assert matches(["net:a:1", "files:x", parse("files:y")], "y")


def test_no_scopes_match_nothing() -> None:
    assert not matches([], "a")


INCLUSIONS = [
    (["files:**"], "files:src/*.py", WITHIN),
    (["files:src/**"], "files:src/a/b", WITHIN),
    (["files:a/*/**"], "files:a/*/b/**", WITHIN),
    (["files:**"], "files:**", WITHIN),
    (["files:.git/**"], "files:.git/**", WITHIN),
    (["files:.*/**"], "files:.git/**", WITHIN),
    (["files:**/*.py"], "files:src/**/test_*.py", WITHIN),
    (["files:[a-m]*", "files:[n-z]*"], "files:[a-z]", WITHIN),
    (["files:a", "files:a/**"], "files:a/**/b", WITHIN),
    (["files:*", "files:*/*", "files:*/*/**"], "files:**", WITHIN),
    (["files:a/**/**"], "files:a/**", WITHIN),
    (["net:a:1", "net:b:2"], "net:b:2", WITHIN),
    ([], "files:**/*.md", beyond("x.md")),
    (["files:src/**", "files:tests/**"], "files:**/test_*.py", beyond("test_.py")),
    (["files:security/**"], "files:security-evil/x", beyond("security-evil/x")),
    (["files:security/**"], "files:security*/**", beyond("securityx/x")),
    (["files:**"], "files:.github/**", beyond(".github/x")),
    (["files:**"], "files:**/.env", beyond(".env")),
    (["files:**"], "files:a/.*", beyond("a/.x")),
    (["files:.?*"], "files:.*/x", beyond(".x/x")),
    (["files:a/**"], "files:a", beyond("a")),
    (["files:a/*"], "files:a/**", beyond("a/x/x")),
    (["files:a?"], "files:a*", beyond("a")),
    (["files:[a-c]"], "files:?", beyond("x")),
    (["files:..[a-z]"], "files:..?", beyond("..0")),
    (["files:a"], "files:.[.]", WITHIN),
    (["files:[ -|]"], "files:?", beyond("}")),
    (["files:[ -\U0003134a]"], "files:?", beyond("\0")),
    (["net:a:1"], "net:a:2", beyond("a:2")),
    (["net:a:1"], "files:a", beyond("a")),
    (["files:**"], "net:a:1", beyond("a:1")),
]


@pytest.mark.parametrize(("parents", "child", "answer"), INCLUSIONS)
def test_inclusion(parents: list[str], child: str, answer: Inclusion) -> None:
    assert contains(parents, child)._replace(states=0) == answer


def test_scopes_can_be_given_parsed() -> None:
    assert contains([parse("files:**")], parse("files:a")) == WITHIN
    assert overlaps(parse("files:*"), parse("files:a")) == "a"


def test_scopes_that_cannot_be_told_apart_within_the_budget_are_not_included() -> None:
    # Two halves that differ somewhere: the states of the parents are the sets of open claims.
    half = 12
    parents = [
        "files:" + "?" * place + one + "?" * (half - 1) + other + "?" * (half - 1 - place)
        for place in range(half)
        for one, other in ("ab", "ba")
    ]
    assert 2**half * half > MAX_STATES
    assert contains(parents, "files:" + "[ab]" * 2 * half) == (False, None, MAX_STATES + 1)


OVERLAPS = [
    ("files:src/**", "files:**/*.py", "src/x.py"),
    ("files:a/**", "files:a", None),
    ("files:a/*", "files:b/*", None),
    ("files:*a", "files:*b", None),
    ("files:*a*", "files:*b*", "ba"),
    ("files:**", "files:.git/**", None),
    ("files:.*/x", "files:.g*/?", ".g/x"),
    ("files:.*", "files:.?", ".x"),
    ("files:..*", "files:.??", "..x"),
    ("files:.*", "files:.[.]", None),
    ("files:a/b", "files:a/b/c", None),
    ("net:a:1", "net:a:1", "a:1"),
    ("net:a:1", "net:a:2", None),
    ("net:a:1", "files:**", None),
]


@pytest.mark.parametrize(("a", "b", "path"), OVERLAPS)
def test_overlap_is_the_shortest_path_that_both_could_touch(
    a: str, b: str, path: str | None
) -> None:
    assert overlaps(a, b) == path
    assert (overlaps(b, a) is None) == (path is None)


def test_sets_of_scopes_overlap_if_any_two_do() -> None:
    assert overlaps(["files:a", "files:b/*", "net:x:1"], ["files:b/c", "net:y:1"]) == "b/c"
    assert overlaps(["files:a", "net:x:1"], ["files:b", "net:x:1"]) == "x:1"
    assert overlaps(["files:a"], []) is None


def test_an_overlap_that_cannot_be_ruled_out_within_the_budget_is_one() -> None:
    a = "files:" + "/".join(["*" + "a" * 250] * 4)
    b = "files:" + "/".join(["*" + "a" * 240 + "b" + "a" * 10] * 4)
    assert overlaps(a, b) == UNDECIDED


class TestPlaces:
    """A walk down a tree comes to the same answers as whole paths, and knows where not to go."""

    @pytest.mark.parametrize(
        ("path", "allowed", "leads"),
        [
            ("src", False, True),
            ("src/a.py", True, False),
            ("src/deep", False, False),
            ("docs", False, True),
            ("docs/a/b", True, True),
            ("docs/.git", False, False),
            ("lib", False, False),
            ("..", False, False),
        ],
    )
    def test_it_knows_what_is_allowed_and_what_leads_further(
        self, path: str, allowed: bool, leads: bool
    ) -> None:
        place = top(["files:src/*.py", "files:docs/**", "net:example.org:443"])
        for name in path.split("/"):
            place = place.below(name)
        assert (place.allowed, place.leads) == (allowed, leads)

    def test_a_name_that_is_not_unicode_is_matched_by_wildcards_only(self) -> None:
        assert top(["files:*"]).below("\udcff").allowed
        assert not top(["files:\ufffd"]).below("a").allowed
