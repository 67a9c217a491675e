"""A chart as Landlock can hold it, which lets things be reached and takes nothing out again."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from forge_cli.gateway.folders import scanned
from forge_cli.gateway.sandbox.chart import Mode, Spot
from forge_cli.gateway.sandbox.landlock import Access

Rule = tuple[str, Access]

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def of_workspace(workspace: Path, spots: Sequence[Spot]) -> list[Rule]:
    """Rules for paths of the workspace.

    A folder that holds something else than it is itself is given name by name: no new name can be
    made in it then, and the names that are below it can be read.
    """
    return list(_Listing(workspace, spots).of("", spots[0].mode))


def of_system(system: Iterable[str], calls: str, apart: Sequence[str] = ()) -> Iterator[Rule]:
    """Rules for all else; what is `apart` is not given although it lies in what is."""
    for path in system:
        yield from _without(path, apart)
    yield ("/proc", "read")
    yield (calls, "write")
    for device in DEVICES:
        yield (device, "device")


def _without(path: str, apart: Sequence[str]) -> Iterator[Rule]:
    inner = [each for each in apart if each.startswith(path.rstrip("/") + "/")]
    if path in apart:
        return
    if not inner:
        yield (path, "read")
        return
    yield (path, "list")
    for name in os.listdir(path):
        if not os.path.islink(below := f"{path}/{name}"):
            yield from _without(below, apart)


class _Listing:
    def __init__(self, workspace: Path, spots: Sequence[Spot]) -> None:
        self._workspace = workspace
        self._spots = {spot.path: spot for spot in spots}
        names = (spot.path.split("/") for spot in spots)
        self._above = {"/".join(parts[:depth]) for parts in names for depth in range(len(parts))}

    def of(self, path: str, mode: Mode) -> Iterator[Rule]:
        """The rules of a path and of what is below it."""
        if path not in self._above:
            if mode != "hide":
                yield (path, mode)
            return
        with scanned(self._workspace, path) as entries:
            inside = sorted(entry.name for entry in entries)
        names = [f"{path}/{name}" if path else name for name in inside]
        inner = {name: self._spots[name].mode if name in self._spots else mode for name in names}
        if any(mode != "hide" for mode in inner.values()):
            yield (path, "list")
        for name in names:
            yield from self.of(name, inner[name])
