"""The last lines of what a failing turn wrote, without what its verdict says already."""

import re
from collections.abc import Sequence

_MARKS = re.compile(r"[\s~^]+")
_HEADER = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(?:.*/)?([^"/]+)", line (\d+)')
_FRAME_LINES = 2
"""A place and the line that stands there; `[Previous line repeated ...]` is left out."""


def tail(text: str, reason: str, most: int) -> list[str]:
    """At most `most` lines, whole frames of a Python traceback at the end instead of its middle.

    Of a traceback there are the frame that `reason` names (`file.py:12`), which is the author's,
    and the innermost.
    """
    lines = [line for line in text.splitlines() if not _MARKS.fullmatch(line) and line]
    if lines and reason.strip().endswith(lines[-1].strip()):
        lines.pop()
    begin = _indented(lines)
    frames = _frames(lines[begin:])
    if not frames:
        return lines[-most:]
    before = lines[: begin - 1] if lines[begin - 1 : begin] == [_HEADER] else lines[:begin]
    told = [frame for frame in frames[:-1] if _place(frame[0]) in reason][-1:] + frames[-1:]
    kept = [line for frame in told for line in frame]
    return [*before, *kept][-max(most, len(kept)) :]


def _indented(lines: Sequence[str]) -> int:
    """Where the indented lines begin with which the text ends."""
    begin = len(lines)
    while begin and lines[begin - 1].startswith("  "):
        begin -= 1
    return begin


def _frames(lines: Sequence[str]) -> list[list[str]]:
    frames: list[list[str]] = []
    for line in lines:
        if _FRAME.match(line):
            frames.append([])
        if frames:  # what stands before the first belongs to one that was cut off
            frames[-1].append(line)
    return [frame[:_FRAME_LINES] for frame in frames]


def _place(line: str) -> str:
    found = _FRAME.match(line)
    return f"{found[1]}:{found[2]}:" if found else line
