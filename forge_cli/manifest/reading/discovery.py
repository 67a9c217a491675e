"""Which files are manifests: named ones, and those that a folder holds."""

import os
import re
import stat
from collections.abc import Iterator, Sequence

from forge_cli.manifest.suggest import nearest

STANDARD_INPUT = "-"
_SUFFIXES = (".forge.yaml", ".forge.yml")
_YAML = (".yaml", ".yml")
_SHELF = "manifests"
_NEVER_WALKED = frozenset({".git", ".forge", "node_modules", ".venv", "__pycache__"})
# Also of a file that is not YAML any more: its fault is then shown instead of the file skipped.
_IS_MANIFEST = rb"""(?m)^(?:\xef\xbb\xbf)?(?:\{\s*)?["']?forge["']?[ \t]*:"""
_HEAD = 2**16
_MOST_SHOWN = 5
"""Manifests that are named where one is missing."""


class Selection:
    """What there is to check: `files` in the order of their names, `refusals` as sentences."""

    __slots__ = ("files", "refusals")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.refusals: list[str] = []


def discover(paths: Sequence[str], only_manifests: bool = False) -> Selection:
    """The manifests that `paths` stand for.

    A named file is taken whatever it is called; with `only_manifests` if a folder that is walked
    would yield it, or if it is not there. A folder is walked for `*.forge.yaml` and
    `*.forge.yml`, and below a folder `manifests` for every YAML file with a top-level `forge:`.
    Links are not followed on the way, and what git ignores is left out (without git, or outside of
    a repository, only `.git`, `.forge`, `.venv`, `node_modules` and `__pycache__` are). A file that
    several paths lead to is taken once, by its plainest name.
    """
    selection = Selection()
    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            selection.files.extend(_walk(path, selection.refusals))
        elif not only_manifests or path == STANDARD_INPUT or _is_one(path):
            selection.files.append(path)
    selection.files = sorted(_once(selection.files))
    return selection


def beside(name: str) -> str:
    """The end of a sentence that says what there is where a file is missing; maybe nothing."""
    folder, missing = os.path.split(name)
    try:
        listed = os.listdir(folder or os.curdir)
    except OSError:
        return f", nor does its folder '{folder}'"
    found = {each: os.path.join(folder, each) for each in sorted(listed) if each.endswith(_YAML)}
    stems = {each.partition(".")[0]: path for each, path in found.items()}
    meant = nearest(missing.partition(".")[0], tuple(stems))
    if meant:
        return f"; did you mean '{stems[meant]}'?"
    manifests = [f"'{path}'" for each, path in found.items() if each.endswith(_SUFFIXES)]
    if not manifests:
        return ""
    more = f" and {len(manifests) - _MOST_SHOWN} more" if manifests[_MOST_SHOWN:] else ""
    return f"; there are: {', '.join(manifests[:_MOST_SHOWN])}{more}"


def _once(files: Sequence[str]) -> list[str]:
    """Each file by one of its names: that of no link, the shortest, whatever their order."""
    by_place: dict[str, str] = {}
    for name in files:
        place = name if name == STANDARD_INPUT else os.path.realpath(name)
        known = by_place.setdefault(place, name)
        if known != name:
            by_place[place] = min(known, name, key=_plainness)
    return list(by_place.values())


def _plainness(name: str) -> tuple[bool, int, str]:
    return os.path.islink(name), len(name), name


def _walk(folder: str, refusals: list[str]) -> Iterator[str]:
    root, real_root = os.path.normpath(folder), os.path.realpath(folder)
    ignored = _ignored(real_root)
    on_shelf = os.path.basename(real_root) == _SHELF
    pending = [("" if root == os.curdir else root, real_root, on_shelf)]
    while pending:
        current, real, on_shelf = pending.pop()
        try:
            entries = sorted(os.scandir(current or os.curdir), key=lambda entry: entry.name)
        except OSError as error:
            refusals.append(f"the folder '{current or os.curdir}' cannot be read: {error.strerror}")
            continue
        for entry in entries:
            name, place = os.path.join(current, entry.name), os.path.join(real, entry.name)
            if place in ignored:
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NEVER_WALKED:
                    pending.append((name, place, on_shelf or entry.name == _SHELF))
            elif entry.is_file(follow_symlinks=False) and _is_manifest(name, on_shelf):
                yield name


def _is_one(path: str) -> bool:
    return _is_manifest(path, _SHELF in os.path.dirname(path).split(os.sep))


def _is_manifest(name: str, on_shelf: bool) -> bool:
    if name.endswith(_SUFFIXES):
        return True
    return on_shelf and name.endswith(_YAML) and bool(re.search(_IS_MANIFEST, _head(name)))


def _head(name: str) -> bytes:
    """The first bytes of a regular file; all of it counts as a manifest if it cannot be read."""
    try:
        opened = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b"forge:"  # Reading it will say why.
    try:
        return os.read(opened, _HEAD) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
    finally:
        os.close(opened)


def _ignored(folder: str) -> frozenset[str]:
    """Paths below a folder (a real path) that git ignores; whole folders by their own path only.

    A folder that is named is walked even if it is ignored itself.
    """
    import subprocess

    # A repository's own configuration may name a program (fsmonitor): nothing of it is started.
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, "ls-files", "-z", "--others"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        listed = subprocess.run(
            [*command, "--ignored", "--exclude-standard", "--directory"],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    names = (os.fsdecode(name) for name in listed.stdout.split(b"\0") if name)
    return frozenset(os.path.normpath(os.path.join(folder, name)) for name in names) - {folder}
