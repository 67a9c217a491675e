"""The files of an evidence folder: all that must be there, their bytes, and nothing else."""

from collections.abc import Iterable, Mapping, Set
from pathlib import Path, PurePosixPath

from forge_cli.canonical import digest_of_bytes
from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import COVERED, UNCOVERED
from forge_cli.ledger.durable import UNFINISHED


def missing(folder: Path, names: Iterable[str]) -> Faults:
    """The files of these names that are not there, or are empty, which is the same."""
    faults = Faults("files")
    for name in names:
        path = folder / name
        if not path.is_file():
            faults.add(f"{name} is missing")
        elif not path.stat().st_size:
            faults.add(f"{name} is empty, which is as good as missing")
    return faults


def changed(folder: Path, files: Mapping[str, str]) -> Faults:
    """The artifacts whose bytes are not those of their digest; maps path to digest."""
    faults = Faults("artifacts")
    for name, digest in files.items():
        try:
            found = digest_of_bytes((folder / name).read_bytes())
        except OSError as fault:
            faults.add(f"{name} cannot be read: {fault.strerror or fault}")
            continue
        if found != digest:
            faults.add(f"{name} was changed: its digest is {found}, the events say {digest}")
    return faults


def strangers(folder: Path, files: Iterable[str]) -> Faults:
    """What lies in the folder and is no part of the evidence."""
    faults = Faults("files")
    known = {*COVERED, *UNCOVERED, *files}
    folders = {parent.as_posix() for name in known for parent in PurePosixPath(name).parents}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not _belongs(path, name, known, folders):
            why = "was not finished" if path.name.startswith(UNFINISHED) else "is no part of it"
            faults.add(f"{name!r} lies in the evidence and {why}; remove it or keep it elsewhere")
    return faults


def _belongs(path: Path, name: str, files: Set[str], folders: Set[str]) -> bool:
    """Whether it is a file or folder of the evidence; what another folder holds is told itself."""
    return (name in folders or any(path.iterdir())) if path.is_dir() else name in files
