"""Verifies evidence: finds the folders that are meant and checks each."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.evidence import verification
from forge_cli.evidence.checks import Check
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import COVERED, EVENTS, MARKER, PLAN, RUN
from forge_cli.evidence.verify import verify
from forge_cli.ledger import runs
from forge_cli.ledger.reader import Reader


@dataclass(frozen=True, slots=True)
class Verified:
    """One folder of evidence and what its checks found."""

    folder: Path
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check found what it was to find."""
        return verification.passed(self.checks)


def verify_folders(
    folders: Sequence[Path], head: str | None = None, write: bool = False
) -> Iterator[Verified]:
    """Verify each folder; `write` has `verification.json` say what was found.

    Those whose evidence was not finished are left out, see `torn`. Raises `ForgeError` for a head
    that is none, or that is meant for one of several folders.
    """
    kept = _head(head, folders)
    unfinished = torn(folders)
    for folder in folders:
        if folder in unfinished:
            continue
        checks = verify(folder, kept, anew=write)
        if write:
            verification.write(folder, checks)
        yield Verified(folder, tuple(checks))


def torn(folders: Sequence[Path]) -> list[Path]:
    """The folders among them whose evidence was not finished: nobody tampered with those."""
    return [folder for folder in folders if (folder / MARKER).exists()]


def find(paths: Sequence[str], current: Path) -> list[Path]:
    """The evidence folders at or below the paths; without paths, that of the latest run.

    `current` is where relative paths and the search for runs begin. `ForgeError` for a path that
    is no folder. The list is in order, each folder once.
    """
    if not paths:
        return _latest(current)
    found: dict[Path, Path] = {}
    for path in paths:
        folder = current / path
        if not folder.is_dir():
            what = "is a file" if folder.exists() else "does not exist"
            raise ForgeError(f"'{path}' {what}; name a folder of evidence, or one that holds some")
        shown = Path(path)
        named = any((folder / name).is_file() for name in (*COVERED, MARKER))
        for each in [folder] if named else sorted(_below(folder)):
            found.setdefault(each.resolve(), shown / each.relative_to(folder))
    return list(found.values())


def _below(top: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(top):
        if EVENTS in files or MARKER in files or {PLAN, RUN} <= set(files):
            # What lies within evidence is part of it, whatever its name.
            folders.clear()
            yield Path(name)


def _latest(current: Path) -> list[Path]:
    workspace = runs.above(current.absolute())
    if workspace is None:
        return []
    run = runs.latest(workspace)
    with Reader.open(run.ledger) as reader:
        place = reader.meta().get("evidence")
    if place is None or not (workspace / place).is_dir():
        raise ForgeError(
            f"run '{run.run_id}' has no evidence yet; `forge show {run.run_id}` tells how it stands"
        )
    return [Path(os.path.relpath(workspace / place, current))]


def _head(text: str | None, folders: Sequence[Path]) -> Head | None:
    if text is None:
        return None
    if len(folders) > 1:
        raise ForgeError(
            f"--head is the head of one run, and {len(folders)} folders of evidence were found; "
            "name one of them"
        )
    try:
        return Head.parse(text)
    except ValueError as fault:
        raise ForgeError(f"--head {fault}") from None
