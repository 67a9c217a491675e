"""`forge run --record` and `--mock`: results of turns in a file, or as evidence has them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forge_cli.canonical import digest_of_bytes
from forge_cli.errors import ForgeError
from forge_cli.evidence.layout import EVENTS, PLAN, Placement
from forge_cli.evidence.log import BrokenLogError, lines_of
from forge_cli.gateway.artifacts import opened
from forge_cli.handlers.answers import parse
from forge_cli.handlers.recorded import Place
from forge_cli.handlers.wire import RESULT_FIELDS, decode_result
from forge_cli.ledger import durable
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.ports import Artifacts

FORMAT_VERSION = 1
_KEPT = ("status", "added", *RESULT_FIELDS)
_KEYS = frozenset({"item", "attempt", "turn", "result"})


@dataclass(frozen=True, slots=True)
class Recording:
    """Results by the place of their turn; `name` and `digest` are those of what was read."""

    name: str
    digest: str
    results: Mapping[Place, Mapping[str, Json]]


class Recorder:
    """An observer that collects what turns came to; one that was cancelled came to nothing."""

    def __init__(self) -> None:
        self._turns: dict[str, int] = {}
        self._results: dict[Place, Mapping[str, Json]] = {}

    def __call__(self, event: Event) -> None:
        """Note the turn that begins, or what it came to."""
        body = event.body
        if event.kind == "turn_started":
            self._turns[event.attempt] = body["turn"]
        elif event.kind == "compensation_ended" and "changed" not in body:
            # What restores files is no handler.
            self._note(event, 1, {"output": {}} if body["status"] == "done" else {})
        elif event.kind == "turn_ended":
            self._note(event, self._turns[event.attempt], {})

    def _note(self, event: Event, turn: int, more: dict[str, Json]) -> None:
        words = {key: event.body[key] for key in _KEPT if event.body.get(key) is not None}
        words |= more
        if words["status"] != "cancelled" and words.get("kind") != "cancelled":
            self._results[Place(event.item, event.attempt.rpartition("/")[2], turn)] = words

    def results(self, artifacts: Artifacts) -> dict[Place, Mapping[str, Json]]:
        """The results, with what was kept beside them."""
        return {place: opened(words, artifacts) for place, words in self._results.items()}


def written(path: Path, recorder: Recorder, artifacts: Artifacts) -> None:
    """Write what was recorded; `ForgeError` if that cannot be done."""
    rows = [
        {**place._asdict(), "result": words} for place, words in recorder.results(artifacts).items()
    ]
    document = {"format_version": FORMAT_VERSION, "results": rows}
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    durable.write(path, [text.encode()])


def read(path: Path) -> Recording:
    """The recording in a file, or that of a run of which the folder is the evidence.

    `ForgeError` says what is wrong with it.
    """
    try:
        if path.is_dir():
            return _of_evidence(path)
        data = path.read_bytes()
    except (OSError, BrokenLogError, KeyError, ValueError) as fault:
        raise ForgeError(f"'{path}' cannot be read: {fault}; name a file of --record") from None
    return Recording(path.name, digest_of_bytes(data), _of_document(path, data))


def _of_document(path: Path, data: bytes) -> dict[Place, Mapping[str, Json]]:
    found: dict[Place, Mapping[str, Json]] = {}
    try:
        document = parse(data, "it")
        if not isinstance(document, dict) or document.get("format_version") != FORMAT_VERSION:
            raise ValueError(f"it does not say  format_version: {FORMAT_VERSION}")
        for number, row in enumerate(document.get("results", []), start=1):
            place, words = _row(number, row)
            if place in found:
                raise ValueError(f"result {number} is for {place}, which has one")
            found[place] = words
    except ValueError as fault:
        raise ForgeError(
            f"'{path}' holds no recorded results: {fault}; write one with  forge run --record FILE"
        ) from None
    return found


def _row(number: int, row: Any) -> tuple[Place, Mapping[str, Json]]:
    """One row of a file: attempt and turn are 1 unless it says otherwise."""
    if not isinstance(row, dict) or not {"item", "result"} <= row.keys() <= _KEYS:
        raise ValueError(f"result {number} must have item and result, and may have attempt, turn")
    if not isinstance(row["result"], dict):
        raise ValueError(f"result {number} is no object")
    turn = row.get("turn", 1)
    if type(turn) is not int:
        raise ValueError(f"turn of result {number} is {turn!r}, which is no whole number")
    try:
        decode_result(row["result"])
    except ValueError as fault:
        raise ValueError(f"result {number}: {fault}") from None
    return Place(str(row["item"]), str(row.get("attempt", "1")), turn), row["result"]


def _of_evidence(folder: Path) -> Recording:
    recorder, placement = Recorder(), Placement()
    if json.loads((folder / PLAN).read_bytes()).get("evidence") == "digests":
        raise ForgeError(
            f"'{folder}' holds digests of results and not these; name a file of --record"
        )
    for line in lines_of(folder / EVENTS):
        recorder(line.event)
        placement.add(line.event)
    data = (folder / EVENTS).read_bytes()
    kept = _Kept(folder, placement.files())
    return Recording(folder.name, digest_of_bytes(data), recorder.results(kept))


class _Kept:
    """What evidence keeps beside its events."""

    def __init__(self, folder: Path, files: Iterable[tuple[str, str]]) -> None:
        self._folder = folder
        self._files = {digest: folder / name for name, digest in files}

    def put(self, data: bytes) -> str:
        """Evidence is read here, never added to."""
        raise NotImplementedError

    def get(self, digest: str) -> bytes:
        """The bytes of a digest; `ForgeError` if they are not there, or not these."""
        if digest not in self._files:
            raise ForgeError(f"nothing is kept as {digest}; see  forge verify {self._folder}")
        path = self._files[digest]
        data = path.read_bytes()
        if digest_of_bytes(data) != digest:
            raise ForgeError(f"'{path}' is not what it was; see  forge verify {path.parent}")
        return data
