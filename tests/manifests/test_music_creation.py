"""The theme gets chords that fit, voices that move well, and a file that players can read."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

Handler = Callable[[str, str], Callable[..., dict[str, Any]]]

FILE = "music-creation/handlers.py"


@pytest.fixture
def song(handler: Handler) -> dict[str, Any]:
    return handler(FILE, "compose")(theme="manifests/music-creation/theme.txt")


@pytest.fixture
def arranged(handler: Handler, song: dict[str, Any]) -> dict[str, Any]:
    return handler(FILE, "arrange")(title="Walk", **song)


def test_each_bar_has_the_chord_that_holds_most_of_it(song: dict[str, Any]) -> None:
    assert song["chords"] == ["C", "F", "G", "C", "F", "C", "G", "C"]


def test_the_score_has_every_bar_under_its_chord(arranged: dict[str, Any]) -> None:
    head, bars = arranged["abc"].split("K:C\n")
    assert head == "X:1\nT:Walk\nM:4/4\nL:1/4\n"
    assert bars.startswith('"C" C D E G | "F" A2 F2 | "G" G E D B, | ')
    assert bars.count("|") == 8


def test_the_file_is_midi_with_two_tracks(arranged: dict[str, Any]) -> None:
    data = base64.b64decode(arranged["midi"])
    assert data[:14] == b"MThd\x00\x00\x00\x06\x00\x01\x00\x02\x01\xe0"
    assert data.count(b"MTrk") == 2
    assert data.endswith(b"\x00\xff\x2f\x00")


def test_the_critics_have_nothing_to_say(
    handler: Handler, song: dict[str, Any], arranged: dict[str, Any]
) -> None:
    assert handler(FILE, "hear_harmony")(**song, **arranged) == {"faults": []}
    assert handler(FILE, "hear_rhythm")(**song, **arranged) == {"faults": []}


def test_parallel_octaves_are_heard(handler: Handler) -> None:
    melody = [[{"pitch": "C4", "beats": 4}], [{"pitch": "D4", "beats": 4}]]
    bass = [[{"pitch": "C2", "beats": 4}], [{"pitch": "D2", "beats": 4}]]
    faults = handler(FILE, "hear_harmony")(melody=melody, bass=bass)["faults"]
    assert faults == [{"bar": 2, "text": "parallel fifths or octaves"}]


def test_a_bar_that_is_too_short_is_heard(handler: Handler) -> None:
    melody = [[{"pitch": "C4", "beats": 3}]]
    bass = [[{"pitch": "C2", "beats": 4}]]
    song = handler(FILE, "arrange")(title="Walk", melody=melody, bass=bass, chords=["C"])
    faults = handler(FILE, "hear_rhythm")(melody=melody, midi=song["midi"])["faults"]
    assert faults == [{"bar": 1, "text": "a voice lasts 3 beats, not 4"}]
