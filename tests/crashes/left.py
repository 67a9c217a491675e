"""What a process that was cut off has left on the disk, and whether that is like something else."""

import hashlib
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.ledger.reader import Reader
from tests.crashes.references import LEDGER, changed_files

_OF_ITS_OWN = re.compile(
    r"[0-9a-f]{16,}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+|[0-9]{4,}|[0-9]+[.][0-9]+"
    r"|(?<=[.]unfinished-)\w+"
)
"""What differs between two runs that do the same: times, digests, processes, names by chance."""


def texts(folder: Path) -> list[str]:
    """The lines of the events that the ledger holds; none without a ledger that was begun."""
    with _ledger(folder) as path:
        try:
            with Reader.open(path) as reader:
                return list(reader.texts())
        except ForgeError:
            return []


def likeness(folder: Path) -> str:
    """Equal for two folders in which all is the same but times and what is computed from them."""
    with _ledger(folder) as path, closing(sqlite3.connect(path)) as connection:
        rows = list(connection.iterdump())
    found = [*rows, *_files(folder)]
    meaning = "\0".join(sorted(_OF_ITS_OWN.sub("", each) for each in found))
    return hashlib.sha256(meaning.encode()).hexdigest()


def _files(folder: Path) -> Iterator[str]:
    """The files beside the ledger: forge's own, and those that are others than before."""
    changed = (folder / "manifests" / name for name in changed_files(folder))
    for path in (*folder.glob(".forge/**/*"), *folder.glob("evidence/**/*"), *changed):
        if not path.is_file():
            yield str(path.relative_to(folder))
        elif not path.name.startswith(Path(LEDGER).name):
            yield f"{path.relative_to(folder)} {path.read_bytes().decode(errors='replace')}"


@contextmanager
def _ledger(folder: Path) -> Iterator[Path]:
    """A copy of the ledger, which may be opened: that changes the files of one."""
    place = folder / LEDGER
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / place.parent.name
        copy.mkdir()
        for path in place.parent.glob(f"{place.name}*"):
            shutil.copyfile(path, copy / path.name)
        yield copy / place.name
