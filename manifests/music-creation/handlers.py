"""A composer that harmonises a theme, an arranger that writes it down, two critics that listen."""

import base64
import re
import struct
from collections import Counter
from itertools import pairwise
from pathlib import Path

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
CHORDS = {"C": "CEG", "F": "FAC", "G": "GBD", "Am": "ACE", "Dm": "DFA"}
"""Chords of C major by name, root first."""
TICKS = 480
"""MIDI ticks to a beat."""


def compose(turn):
    """Give each bar the chord that holds most of its melody; the last bar is the tonic."""
    bars = [
        [
            {"pitch": note, "beats": int(beats)}
            for note, beats in re.findall(r"([A-G]\d):(\d)", line)
        ]
        for line in Path(turn.inputs["theme"]).read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    chords = [_best_chord(bar) for bar in bars[:-1]] + ["C"]
    return {"melody": bars, "chords": chords, "bass": _bass(bars, chords)}


def arrange(turn):
    """The song as ABC text and as a MIDI file with one track for each voice."""
    melody, bass, chords = (turn.inputs[voice] for voice in ("melody", "bass", "chords"))
    bars = (
        f'"{chord}" {" ".join(map(_abc, bar))}' for chord, bar in zip(chords, melody, strict=True)
    )
    abc = f"X:1\nT:{turn.inputs['title']}\nM:4/4\nL:1/4\nK:C\n" + " | ".join(bars) + " |]\n"
    tracks = [_track(voice) for voice in (melody, bass)]
    midi = b"MThd" + struct.pack(">IHHH", 6, 1, len(tracks), TICKS) + b"".join(tracks)
    return {"abc": abc, "midi": base64.b64encode(midi).decode()}


def hear_harmony(turn):
    """Names every bar that melody and bass enter in parallel fifths or octaves."""
    melody, bass = turn.inputs["melody"], turn.inputs["bass"]
    firsts = [(_midi(m[0]), _midi(b[0])) for m, b in zip(melody, bass, strict=True)]
    return {
        "faults": [
            {"bar": number, "text": "parallel fifths or octaves"}
            for number, (one, two) in enumerate(pairwise(firsts), 2)
            if _parallel(one, two)
        ]
    }


def hear_rhythm(turn):
    """Counts the file itself: each voice must last four beats a bar, as the theme does."""
    data = base64.b64decode(turn.inputs["midi"])
    lengths = [_length(track) for track in data.split(b"MTrk")[1:]]
    beats = 4 * len(turn.inputs["melody"])
    faults = [
        {
            "bar": len(turn.inputs["melody"]),
            "text": f"a voice lasts {length // TICKS} beats, not {beats}",
        }
        for length in lengths
        if length != beats * TICKS
    ]
    return {"faults": faults}


def _best_chord(bar):
    weight = Counter()
    for note in bar:
        weight[note["pitch"][0]] += note["beats"]
    return max(CHORDS, key=lambda chord: sum(weight[name] for name in CHORDS[chord]))


def _bass(bars, chords):
    """A whole note a bar: the chord's root, or its third where the root would move in parallel."""
    line = []
    for bar, chord in zip(bars, chords, strict=True):
        choices = [{"pitch": f"{name}2", "beats": 4} for name in CHORDS[chord][:2]]
        before = (_midi(bars[len(line) - 1][0]), _midi(line[-1][0])) if line else None
        sound = (
            c for c in choices if before is None or not _parallel(before, (_midi(bar[0]), _midi(c)))
        )
        line.append([next(sound, choices[0])])
    return line


def _parallel(one, two):
    """Whether melody and bass (MIDI keys) move from one fifth or octave to the same again."""
    intervals = {(melody - bass) % 12 for melody, bass in (one, two)}
    return one != two and len(intervals) == 1 and intervals <= {0, 7}


def _abc(note):
    name, octave = note["pitch"][0], int(note["pitch"][1])
    name = name.lower() if octave > 4 else name + "," * (4 - octave)
    return name + (str(note["beats"]) if note["beats"] > 1 else "")


def _midi(note):
    return 12 * (int(note["pitch"][1]) + 1) + STEPS[note["pitch"][0]]


def _track(voice):
    events = b""
    for note in (note for bar in voice for note in bar):
        key = _midi(note)
        events += bytes((0, 0x90, key, 80)) + _varlen(note["beats"] * TICKS) + bytes((0x80, key, 0))
    events += b"\x00\xff\x2f\x00"
    return b"MTrk" + struct.pack(">I", len(events)) + events


def _varlen(number):
    """A number in seven-bit groups, most significant first (Standard MIDI Files 1.0)."""
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.insert(0, number & 0x7F | 0x80)
    return bytes(groups)


def _length(track):
    """Ticks from the start of a track to its end: the sum of the pauses before its events."""
    data, total = track[4:], 0
    while data:
        pause = 0
        while data[0] & 0x80:
            pause, data = pause << 7 | data[0] & 0x7F, data[1:]
        pause, data = pause << 7 | data[0], data[1:]
        total += pause
        data = data[3:]
    return total
