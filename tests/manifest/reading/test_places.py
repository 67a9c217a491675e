"""Paths of the data are found again in the text."""

import pytest

from forge_cli.manifest.findings import Finding, Path, Place, Spot
from forge_cli.manifest.reading.places import locate, locate_all, places

TEXT = """\
# a comment
forge: 1
work_items:
  review:
    "quoted": 'it''s'
    capabilities: [repository-read, repository-write]
    script: |
      one
      two

    empty:
    goal: >-
      say ${inputs.who} twice
    with: {naïve: {b: 1.10},
           wide: 漢字}
  review: {}
list:
- a
- b: c
- - d
"""
REVIEW = ("work_items", "review")


def value_of(path: Path, text: str = TEXT) -> tuple[int, int, int, int]:
    place = places(text.encode(), [path])[path].value
    return place.line, place.column, place.end_line, place.end_column


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("forge",), (2, 8, 2, 9)),
        ((*REVIEW, "quoted"), (5, 15, 5, 22)),
        ((*REVIEW, "capabilities"), (6, 19, 6, 54)),
        ((*REVIEW, "capabilities", 1), (6, 37, 6, 53)),
        ((*REVIEW, "script"), (7, 13, 9, 10)),
        ((*REVIEW, "empty"), (11, 11, 11, 11)),
        ((*REVIEW, "with"), (14, 11, 15, 21)),
        ((*REVIEW, "with", "naïve", "b"), (14, 23, 14, 27)),
        ((*REVIEW, "with", "wide"), (15, 18, 15, 20)),
        (("list", 1, "b"), (19, 6, 19, 7)),
        (("list", 2, 0), (20, 5, 20, 6)),
    ],
)
def test_a_value_is_where_it_is_written(path: Path, value: tuple[int, int, int, int]) -> None:
    assert value_of(path) == value


@pytest.mark.parametrize(("path", "start"), [((), (2, 1)), (REVIEW, (5, 5)), (("list",), (18, 1))])
def test_a_block_collection_is_where_it_begins(path: Path, start: tuple[int, int]) -> None:
    line, column = start
    assert value_of(path) == (line, column, line, column + 1)


def test_keys_have_places_of_their_own() -> None:
    path = (*REVIEW, "quoted")
    assert places(TEXT.encode(), [path])[path].key == Place(5, 5, 5, 13)


def test_the_source_of_a_scalar_is_kept() -> None:
    version, quoted = (*REVIEW, "with", "naïve", "b"), (*REVIEW, "quoted")
    found = places(TEXT.encode(), [version, quoted])
    assert (found[version].raw, found[version].style) == ("1.10", "")
    assert (found[quoted].raw, found[quoted].style) == ("'it''s'", "'")


def test_a_missing_path_is_its_nearest_ancestor() -> None:
    path = (*REVIEW, "nope", "deeper")
    found = places(TEXT.encode(), [path])[path]
    assert not found.exact
    assert found.key == Place(4, 3, 4, 9)


def test_of_equal_keys_the_first_counts() -> None:
    assert value_of(("a", "b"), "a: {b: 1, b: 2}\na: {b: 3}\n") == (1, 8, 1, 9)


def test_what_stands_before_a_syntax_error_has_a_place() -> None:
    assert value_of(("a", "b"), "a:\n  b: 1\nc: @\n") == (2, 6, 2, 7)


def test_a_byte_order_mark_and_crlf_move_nothing() -> None:
    assert value_of(("b",), "\ufeffa: 1\r\nb: 2\r\n") == (2, 4, 2, 5)


def test_elements_count_also_behind_ones_that_nobody_asked_for() -> None:
    assert value_of(("a", 2), "a: [[1, 2], {b: c}, d]\n") == (1, 21, 1, 22)


@pytest.mark.parametrize(
    ("spot", "place"),
    [
        (Spot((*REVIEW, "capabilities"), "key"), Place(6, 5, 6, 17)),
        (Spot((*REVIEW, "capabilities"), token="repository-write"), Place(6, 37, 6, 53)),
        (Spot((*REVIEW, "goal"), token="inputs.who"), Place(13, 13, 13, 23)),
        (Spot((*REVIEW, "goal"), token="not there"), Place(12, 11, 13, 30)),
        (Spot((*REVIEW, "quoted"), "key", token="quoted"), Place(5, 6, 5, 12)),
        (Spot((*REVIEW, "empty")), Place(11, 5, 11, 10)),
        (Spot(REVIEW), Place(4, 3, 4, 9)),
        (Spot((*REVIEW, "nope")), Place(4, 3, 4, 9)),
        (Spot(()), Place(2, 1, 2, 2)),
        (Spot(("list", 1)), Place(19, 3, 19, 4)),
        (Spot(("a",), place=Place(7, 7, 7, 8)), Place(7, 7, 7, 8)),
    ],
)
def test_a_spot_gets_the_place_of_what_it_means(spot: Spot, place: Place) -> None:
    assert locate(Finding("rule", spot, "message"), TEXT.encode()).spot.place == place


def test_related_spots_get_places_too() -> None:
    finding = Finding("rule", Spot(("forge",)), "message", related=(Spot(("list",), "key"),))
    (located,) = locate_all([finding], TEXT.encode())
    assert located.related[0].place == Place(17, 1, 17, 5)


def test_an_empty_file_has_one_place() -> None:
    assert places(b"", [("a",)])[("a",)].value == Place(1, 1, 1, 2)


def test_a_spot_in_another_file_is_looked_up_there() -> None:
    finding = Finding("rule", Spot(("a",)), "message", related=(Spot(("a",), file="b.yaml"),))
    (located,) = locate_all([finding], b"a: 1\n", {"b.yaml": b"b: 1\na: 2\n"})
    assert located.spot.place == Place(1, 4, 1, 5)
    assert located.related[0].place == Place(2, 4, 2, 5)
