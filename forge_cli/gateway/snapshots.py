"""What is below an item's `writes`, kept before the item may change it, and put back on demand."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from forge_cli.errors import ForgeError
from forge_cli.gateway.folders import FILE, reading
from forge_cli.gateway.putting_back import PuttingBack
from forge_cli.gateway.survey import Found, survey
from forge_cli.multiagent.ports import Artifacts, Kept

PACK = 8 * 2**20
"""Bytes that are kept together: one durable write for many small files, several for a large one."""

FORMAT_VERSION = 1


class SnapshotError(Exception):
    """What is there cannot be kept, or not be put back; the text is a sentence."""


class Snapshots:
    """Keeps and restores parts of one workspace.

    A snapshot is a JSON document among the artifacts: for each path its kind, mode and content or
    target; what is not in it was not there. `kept_out` are paths, relative to the workspace, that
    are neither kept nor touched, with all below them.
    """

    def __init__(self, workspace: Path, artifacts: Artifacts, kept_out: Collection[str]) -> None:
        self._workspace = workspace
        self._artifacts = artifacts
        self._kept_out = frozenset(kept_out)

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Kept:
        """Keep all that the scopes allow to be written, durably.

        Raises `SnapshotError` for what cannot be read, and soon after `stopped` says so.
        """
        packs = _Packs(self._artifacts)
        entries: dict[str, Any] = {}
        try:
            for found in survey(self._workspace, writes, self._kept_out):
                if stopped():
                    raise SnapshotError("stopped")
                entries[found.path] = _entry(found, packs)
        except OSError as fault:
            raise SnapshotError(
                f"what it may write cannot be kept, so that it could be restored: "
                f"{os.fsdecode(fault.filename or '')!r}: {fault.strerror}"
            ) from None
        document = {
            "format_version": FORMAT_VERSION,
            "writes": list(writes),
            "packs": packs.finish(),
            "entries": entries,
        }
        files = sum(entry[0] == "file" for entry in entries.values())
        return Kept(self._artifacts.put(json.dumps(document).encode()), files)

    def restore(self, snapshot: str) -> int:
        """Put everything back as it was; returns how many paths were not.

        What is as it was is not touched. Raises `SnapshotError` with what could not be put back,
        when all the rest is, or if the snapshot is no longer there.
        """
        try:
            document = json.loads(self._artifacts.get(snapshot))
            contents = _Contents(self._artifacts, document["packs"])
            put = PuttingBack(self._workspace, document["entries"], contents.read)
            put.all(survey(self._workspace, document["writes"], self._kept_out))
        except ForgeError as fault:
            raise SnapshotError(f"what was kept is gone: {fault}") from fault
        if put.faults:
            first, *others = put.faults.values()
            raise SnapshotError(first + (f"; and {len(others)} more" if others else ""))
        return len(put.changed)


def _entry(found: Found, packs: "_Packs") -> list[Any]:
    mode = stat.S_IMODE(found.status.st_mode)
    if found.kind == "link":
        return ["link", mode, os.readlink(found.name, dir_fd=found.parent)]
    if found.kind == "folder":
        return ["folder" if found.allowed else "way", mode]
    if found.kind == "other":
        return ["other", mode]
    with reading(os.open(found.name, FILE, dir_fd=found.parent)) as file:
        return ["file", mode, *packs.add(iter(lambda: file.read(PACK), b""))]


class _Packs:
    """Contents joined to artifacts of at most `PACK` bytes."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self._digests: list[str] = []
        self._open = bytearray()

    def add(self, chunks: Iterator[bytes]) -> tuple[str, list[list[int]]]:
        """The SHA-256 of a content, and where its parts are: pack, first byte, length."""
        digest, parts = hashlib.sha256(), []
        for chunk in chunks:
            digest.update(chunk)
            if len(self._open) + len(chunk) > PACK:
                self._close()
            parts.append([len(self._digests), len(self._open), len(chunk)])
            self._open += chunk
        return digest.hexdigest(), parts

    def finish(self) -> list[str]:
        """The digests of all packs, in order."""
        if self._open:
            self._close()
        return self._digests

    def _close(self) -> None:
        self._digests.append(self._artifacts.put(bytes(self._open)))
        self._open.clear()


class _Contents:
    """Contents read from packs; the one that was read last is at hand."""

    def __init__(self, artifacts: Artifacts, digests: Sequence[str]) -> None:
        self._artifacts = artifacts
        self._digests = digests
        self._number, self._pack = -1, b""

    def read(self, parts: Sequence[Sequence[int]]) -> Iterator[bytes]:
        """The parts, in order."""
        for number, first, length in parts:
            if number != self._number:
                self._number, self._pack = number, self._artifacts.get(self._digests[number])
            yield self._pack[first : first + length]
