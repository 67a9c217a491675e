"""Which comments ask to ignore a warning, and the line that each is about."""

import pytest

from forge_cli.manifest.findings import Finding, Place, Spot
from forge_cli.manifest.reading.ignores import MAX_IGNORES, silence
from forge_cli.manifest.reading.source import parse


def found(text: str) -> list[tuple[int, list[str], str]]:
    """Line, rules and reason of each comment of a text."""
    comments = parse(text.encode()).ignores
    return [(each.line, [rule for rule, _ in each.rules], each.reason) for each in comments]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1  # forge: ignore[x] why\n", 1),
        ("a: 1\nb: 2 # forge: ignore[x] why", 2),
        ("# forge: ignore[x] why\na: 1\n", 2),
        ("a:\n  # forge: ignore[x] why\n  b: 1\n", 3),
        ("# forge: ignore[x] why\n# more\n#\na: 1\n", 4),
        ("a: 1\r\n# forge: ignore[x] why\r\nb: 1\r\n", 3),
        ("a: |  # forge: ignore[x] why\n  text\n", 1),
        ("a: |\n  text\n# forge: ignore[x] why\nb: 1\n", 4),
        ("a: [b,  # forge: ignore[x] why\n  c]\n", 1),
        ("a: 'b' # forge: ignore[x] why\n", 1),
        ("a: 'b # c' # forge: ignore[x] why\n", 1),
    ],
)
def test_a_comment_is_about_its_line_or_alone_about_the_next(text: str, line: int) -> None:
    assert found(text) == [(line, ["x"], "why")]


@pytest.mark.parametrize(
    "text",
    [
        "a: 'b # forge: ignore[x] why'\n",
        'a: "b\n  # forge: ignore[x] why"\n',
        "a: |\n  # forge: ignore[x] why\n",
        "a: >-\n\n  b\n\n  # forge: ignore[x] why\n\nb: 1\n",
        "a: b# forge: ignore[x] why\n",
        "a: 1  # write # forge: ignore[x] why\n",
        "# b: 1  # forge: ignore[x] why\na: 1\n",
        "a: 1  # forge: ignored[x] why\n",
        "a: 1  # forge: ignore-file why\n",
        "a: 1  # please ignore[x] why\n",
        "a: [\n# forge: ignore[x] why\n",
    ],
)
def test_neither_a_text_nor_another_comment_is_taken_for_one(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("comment", "rules", "reason"),
    [
        ("#forge:ignore[x]why", ["x"], "why"),
        ("#  forge:  ignore [x, y ,z]  it is  so ", ["x", "y", "z"], "it is  so"),
        ("# forge: ignore[x]: why", ["x"], "why"),
        ("# forge: ignore[x] -- why", ["x"], "why"),
        ("# forge: ignore[x]", ["x"], ""),
        ("# forge: ignore[] why", [], "why"),
        ("# forge: ignore why", [], "why"),
        ("# forge: ignore[x why", [], "[x why"),
    ],
)
def test_spaces_and_punctuation_do_not_matter(comment: str, rules: list[str], reason: str) -> None:
    assert found(f"a: 1 {comment}\n") == [(1, rules, reason)]


def test_the_comment_and_each_rule_have_a_place() -> None:
    (comment,) = parse("a: 1\nb: é  # forge: ignore[one, two] why \n".encode()).ignores
    assert comment.place == Place(2, 7, 2, 36)
    assert [place for _, place in comment.rules] == [Place(2, 23, 2, 26), Place(2, 28, 2, 31)]


def test_of_very_many_only_the_first_are_looked_at() -> None:
    text = "# forge: ignore[x] why\n" * 50_000 + "a: 1\n"
    assert len(found(text)) == MAX_IGNORES + 1
    assert found(text)[0][0] == 50_001


def warning(rule: str, line: int, severity: str = "warning") -> Finding:
    place = Place(line, 1, line, 2)
    if severity == "error":
        return Finding(rule, Spot(place=place), "told")
    return Finding(rule, Spot(place=place), "told", severity="warning")


COMMENTS = parse(b"a: 1 # forge: ignore[x, unused-ignore] why\nb: 1 # forge: ignore[x]\n").ignores


def test_a_warning_of_that_rule_on_that_line_is_silenced() -> None:
    told, silenced = silence([warning("x", 1)], COMMENTS)
    assert told == []
    assert silenced == [(warning("x", 1), COMMENTS[0])]


@pytest.mark.parametrize(
    "finding",
    [
        warning("y", 1),
        warning("x", 3),
        warning("x", 1, "error"),
        warning("x", 2),
        warning("unused-ignore", 1),
    ],
    ids=["another rule", "another line", "an error", "no reason", "about such comments"],
)
def test_nothing_else_is(finding: Finding) -> None:
    assert silence([finding], COMMENTS) == ([finding], [])
