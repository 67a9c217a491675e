"""Findings: what is wrong, where it is in the data, and what to type; made concrete late."""

from typing import Literal, NamedTuple

Path = tuple[str | int, ...]
"""Where a value is in the plain data: keys and list indexes from the top."""

Severity = Literal["error", "warning"]


class Place(NamedTuple):
    """A region of a file: 1-based, columns in code points, `end_column` one past the last."""

    line: int
    column: int
    end_line: int
    end_column: int


TOP = Place(1, 1, 1, 2)
"""A file's first character: where something is told that has no better place."""


class Spot(NamedTuple):
    """A symbolic place: the key or the value at a path, or the part `token` of its text.

    `place` is set where the region is known already (faults of the YAML itself). `note` is what
    stands under the caret. `file` is the file that it is in, as people write it; the manifest
    itself if empty.
    """

    path: Path = ()
    part: Literal["key", "value"] = "value"
    note: str = ""
    token: str | None = None
    place: Place | None = None
    file: str = ""


class Finding(NamedTuple):
    """One fault. `message` and `hint` name what they speak of; `hint` may have several lines."""

    rule: str
    spot: Spot
    message: str
    hint: str = ""
    related: tuple[Spot, ...] = ()
    severity: Severity = "error"
