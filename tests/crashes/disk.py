"""What a disk may hold after the power failed, given what was done to it until then.

Content that was not synced may be there, missing or torn: each write by itself, the last one cut
at a sector. Names are made and removed in the order of the journal of their folder, which may end
anywhere behind what was synced; those of different folders know nothing of each other.
"""

import pickle
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.crashes.operations import Operation

SECTOR = 512


@dataclass(slots=True)
class _File:
    """A file's content as it is certain to be there, and the changes since."""

    synced: bytes = b""
    pending: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = self.content(self.pending)
        self.pending.clear()

    def content(self, survivors: Iterable[Operation]) -> bytes:
        data = bytearray(self.synced)
        for operation in survivors:
            if operation.kind == "truncate":
                del data[operation.offset :]
                continue
            data.extend(bytes(max(0, operation.offset - len(data))))
            data[operation.offset : operation.offset + len(operation.data)] = operation.data
        return bytes(data)


_Names = dict[str, "_File | _Folder"]


@dataclass(slots=True)
class _Folder:
    """A folder's names: certain ones, those that are seen now, and the changes between the two."""

    synced: _Names = field(default_factory=dict)
    seen: _Names = field(default_factory=dict)
    pending: list[dict[str, "_File | _Folder | None"]] = field(default_factory=list)

    def change(self, **names: "_File | _Folder | None") -> None:
        self.pending.append(names)
        _apply(self.seen, names)

    def sync(self) -> None:
        self.synced = dict(self.seen)
        self.pending.clear()

    def sync_all(self) -> None:
        self.sync()
        for entry in self.seen.values():
            if isinstance(entry, _Folder):
                entry.sync_all()
            else:
                entry.sync()


def _apply(names: _Names, change: dict[str, "_File | _Folder | None"]) -> None:
    for name, entry in change.items():
        if entry is None:
            names.pop(name, None)
        else:
            names[name] = entry


class Disk:
    """A disk, empty at first, that operations are done to. Paths are relative to `top`.

    `changed` is what programs had changed in the workspace when all was last made durable.
    """

    def __init__(self, top: Path) -> None:
        self.changed: dict[str, bytes | None] = {}
        self._top = top
        self._root = _Folder()

    def do(self, operation: Operation) -> None:
        """Take an operation in, as one that was done and that may not have reached the disk yet."""
        if operation.kind == "sync_folder":
            self._folder(operation.path).sync()
            return
        if operation.kind in ("sync_all", "put_back"):
            if operation.kind == "sync_all":
                self._root.sync_all()
            self.changed = pickle.loads(operation.data)
            return
        folder, name = self._place(operation.path)
        if operation.kind == "make":
            folder.change(**{name: _File()})
        elif operation.kind == "make_folder":
            folder.change(**{name: _Folder()})
        elif operation.kind == "remove":
            folder.change(**{name: None})
        elif operation.kind in ("rename", "link"):
            other = self._place(operation.other)[1]
            gone = {name: None} if operation.kind == "rename" else {}
            folder.change(**{other: folder.seen[name]}, **gone)
        else:
            self._write(folder.seen[name], operation)

    def _write(self, file: "_File | _Folder", operation: Operation) -> None:
        assert isinstance(file, _File)
        if operation.kind == "sync":
            file.sync()
        else:
            file.pending.append(operation)

    def after_power_loss(self, chance: random.Random, share: float) -> dict[str, bytes | None]:
        """The content of each file that is found, None for a folder.

        `share` of what was not synced survives: nothing at 0, all at 1, by chance in between.
        """
        found: dict[str, bytes | None] = {}
        self._collect(self._root, "", found, chance, share)
        return found

    def _collect(
        self,
        folder: _Folder,
        path: str,
        found: dict[str, bytes | None],
        chance: random.Random,
        share: float,
    ) -> None:
        names = dict(folder.synced)
        for change in folder.pending[: _prefix(len(folder.pending), chance, share)]:
            _apply(names, change)
        for name, entry in sorted(names.items()):
            if isinstance(entry, _File):
                found[path + name] = entry.content(_survivors(entry.pending, chance, share))
            else:
                found[path + name] = None
                self._collect(entry, f"{path}{name}/", found, chance, share)

    def _folder(self, path: str) -> _Folder:
        folder = self._root
        for part in Path(path).relative_to(self._top).parts:
            entry = folder.seen[part]
            assert isinstance(entry, _Folder)
            folder = entry
        return folder

    def _place(self, path: str) -> tuple[_Folder, str]:
        return self._folder(str(Path(path).parent)), Path(path).name


def _prefix(count: int, chance: random.Random, share: float) -> int:
    return count if share == 1 else chance.randint(0, count) if share else 0


def _survivors(
    pending: list[Operation], chance: random.Random, share: float
) -> Iterable[Operation]:
    if share == 1:
        return pending
    kept = [operation for operation in pending if chance.random() < share]
    if kept and kept[-1].data and len(kept[-1].data) > SECTOR:
        cut = SECTOR * chance.randint(1, len(kept[-1].data) // SECTOR)
        kept[-1] = kept[-1]._replace(data=kept[-1].data[:cut])
    return kept
