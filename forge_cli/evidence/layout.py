"""Which files an evidence folder has, and which of them the head vouches for."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from forge_cli.ledger.durable import UNFINISHED
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json

FORMAT_VERSION = 1
"""The version of every file's format, in each of them."""

PLAN = "plan.json"
EVENTS = "events.jsonl"
RUN = "run.json"
ENVIRONMENT = "environment.json"
VERIFICATION = "verification.json"
ITEMS = "items"
MARKER = f"{UNFINISHED}evidence"
"""Stands in the folder from before the first file is written until after the last one."""

COVERED = (PLAN, EVENTS, RUN)
"""Follows from the head, with everything below `items/`: the events by their root, the plan by the
digest in the first of them, `run.json` as it follows from both, artifacts by their digests."""

UNCOVERED = (ENVIRONMENT, VERIFICATION)
"""What differs between machines, and what was found: nothing in the head speaks of them."""

_STREAMS = {"stdout": "stdout.txt", "stderr": "stderr.txt"}
_PLAIN = re.compile(r"[a-z0-9_-][a-z0-9._-]*")
_TAKEN = re.compile(r"(turn|compensation)-[0-9]+|output|stdout\.txt|stderr\.txt")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LONGEST = 100


class Placement:
    """Where the artifacts of the turns go, told turn by turn.

    An item's last turn has its files in the item's folder; those of the turns before are in
    `turn-<n>` beside them, so what a person looks for first is on top. Outputs that are too large
    to stand in the events are in `output` below. What a program wrote that undoes the item is in
    `compensation-<n>`.
    """

    def __init__(self) -> None:
        self._turns: dict[str, int] = {}
        self._kept: dict[tuple[str, int], Mapping[str, str]] = {}
        self._undoing: dict[str, Mapping[str, str]] = {}

    def add(self, event: Event) -> None:
        """Note what the event says is kept: the end of a turn, or a result from elsewhere.

        `ValueError` if it names something that is no digest.
        """
        if event.kind not in _KEEPING:
            return
        captured = event.body.get("captured") or {}
        if odd := [kept for kept in captured.values() if not _is_digest(kept)]:
            raise ValueError(f"{odd[0]!r} is captured, which is no digest")
        files = {file_name(name): kept for name, kept in captured.items()}
        if event.kind == "compensation_ended":
            self._undoing[f"{event.item}/{event.attempt.rpartition('/')[2]}"] = files
            return
        number = self._turns[event.item] = self._turns.get(event.item, 0) + 1
        for key, kept in kept_output(event.body.get("output") or {}):
            files[f"output/{file_name(key)}.json"] = kept
        if files:
            self._kept[event.item, number] = files

    def files(self) -> Iterator[tuple[str, str]]:
        """Path within the evidence folder, and digest, of every artifact."""
        for (item, number), files in self._kept.items():
            folder = "" if number == self._turns[item] else f"turn-{number}/"
            for name, kept in files.items():
                yield f"{ITEMS}/{item}/{folder}{name}", kept
        for folder, files in self._undoing.items():
            for name, kept in files.items():
                yield f"{ITEMS}/{folder}/{name}", kept


_KEEPING = frozenset(
    {"turn_ended", "turn_lost", "item_decided", "item_reused", "compensation_ended"}
)


def kept_output(output: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Key and digest of each value of an accepted output that is kept as an artifact."""
    for key, value in output.items():
        if isinstance(value, dict) and value.keys() == {"artifact", "bytes"}:
            kept = value["artifact"]
            if _is_digest(kept):
                yield key, kept


def _is_digest(value: Json) -> bool:
    return isinstance(value, str) and bool(_DIGEST.fullmatch(value))


def file_name(name: str) -> str:
    """A file's name for a stream or file, different for different ones, also on a case-blind disk.

    Streams become text files. In other names whatever is not a lower-case letter, digit, dot, dash
    or underscore becomes `%` and two hex digits for each byte; long ones end in a digest.
    """
    if name in _STREAMS:
        return _STREAMS[name]
    if _PLAIN.fullmatch(name) and len(name) <= _LONGEST and not _TAKEN.fullmatch(name):
        return name
    first, rest = _escaped(name[:1]), "".join(_escaped_if_odd(c) for c in name[1:])
    if len(first + rest) <= _LONGEST:
        return f"{first}{rest}" or "%"
    return f"{first}{rest}"[:_LONGEST] + "%-" + sha256(name.encode()).hexdigest()[:16]


def _escaped_if_odd(character: str) -> str:
    return character if _PLAIN.fullmatch(character) or character == "." else _escaped(character)


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())
