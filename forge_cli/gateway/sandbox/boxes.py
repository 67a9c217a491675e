"""Sandboxes of a run: made for a grant, kept for its next turn, taken away at the end.

In each there is one process that starts programs (see `warden`), so that all but the first of its
turns are started as fast as without a sandbox.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from forge_cli.gateway.processes import Confinement, Processes
from forge_cli.gateway.sandbox import bubblewrap, listing
from forge_cli.gateway.sandbox.bubblewrap import Enclosure
from forge_cli.gateway.sandbox.chart import ChartError, Spot, Wanted, chart, make_way
from forge_cli.gateway.sandbox.system import system_paths
from forge_cli.gateway.temporary import temporary_folder
from forge_cli.multiagent.grants import Grant

Level = Literal["namespace", "landlock", "off"]

LIMITS: Mapping[str, int] = {"RLIMIT_CORE": 0}
"""What every program in a sandbox may use at most: it leaves no image of its memory behind."""

LIMITS_OF_NAMESPACES: Mapping[str, int] = {"RLIMIT_NPROC": 4_096}
"""The same where processes are counted for each sandbox."""

MOST_IDLE = 8
"""Sandboxes that are kept although nothing runs in them."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What holds programs on this machine, unless their handler says something else.

    `bwrap` is the program that makes namespaces.
    """

    level: Level = "off"
    bwrap: str = ""


NO_SANDBOX = Sandbox()


@dataclass(frozen=True, slots=True)
class Need:
    """What a turn's sandbox is made for; turns share one only if all of this is the same.

    `files` are absolute paths that are read whatever the grant says: those of the handler itself.
    `program` is the file that will be started; with `network` it reaches all of that.
    """

    level: Level
    role_id: str
    grant: Grant
    files: tuple[str, ...] = ()
    program: str = ""
    network: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where sandboxes are made; see `HandlerContext`, whose fields these are."""

    workspace: Path
    environment: Mapping[str, str]
    own: tuple[str, ...]
    mark: str
    sandbox: Sandbox


@dataclass(eq=False, slots=True)
class Box:
    """One sandbox, or with no `enclosure` none: programs that `processes` starts are held by it.

    `turns` are now in it, and a `stale` one gets no more.
    """

    processes: Processes
    enclosure: Enclosure | None = None
    need: Need | None = None
    spots: tuple[Spot, ...] = ()
    turns: int = 0
    stale: bool = False

    @property
    def folder(self) -> str | None:
        """Where temporary folders of its calls are made; None is where the system has them."""
        return None if self.enclosure is None else self.enclosure.calls

    def variables(self, temporary: str) -> dict[str, str]:
        """The variables that name private folders; `temporary` is the call's, which gets a home."""
        if self.enclosure is None:
            return {"TMPDIR": temporary}
        home = f"{temporary}/home"
        os.mkdir(home, 0o700)
        return {"TMPDIR": temporary, "HOME": home}

    def close(self) -> None:
        """End what starts programs in it, and take away what it consisted of."""
        self.processes.close()
        if self.enclosure is not None:
            self.enclosure.remove()


class Boxes:
    """The sandboxes of one handler.

    A `shared` one is had by all turns at once that need the same; else each has one to itself.
    """

    def __init__(
        self, around: Surroundings, outside: Processes, *modules: str, shared: bool = False
    ) -> None:
        """`outside` starts the programs that no sandbox holds; `modules` are for those that do."""
        self._around = around
        self._outside = Box(outside)
        self._modules = modules
        self._shared = shared
        self._boxes: list[Box] = []
        self._machine: dict[Need, tuple[list[str], tuple[str, ...]]] = {}

    async def take(self, need: Need) -> Box:
        """A sandbox for one turn, which gives it back.

        Raises `ChartError` if none can hold the grant, `ForgeError` if none can be made.
        """
        if need.level == "off":
            return self._outside
        box = self._of_no_files(need)
        if box is None:
            if need not in self._machine:
                self._machine[need] = self._of_machine(need)
            system, also = self._machine[need]
            spots = await asyncio.to_thread(_charted, self._around, need.grant, also)
            box = self._found(need, spots) or self._made(need, spots, system)
        box.turns += 1
        return box

    def give_back(self, box: Box) -> None:
        """The turn is over, and nothing of it is left."""
        if box is not self._outside:
            box.turns -= 1
            idle = [] if self._shared else [each for each in self._boxes if not each.turns]
            for each in idle[:-MOST_IDLE]:
                self._end(each)

    @property
    def has_stale(self) -> bool:
        """Whether there is a sandbox that holds what its grant meant before."""
        return any(box.stale for box in self._boxes)

    def close_stale(self) -> None:
        """End the sandboxes that hold what their grants meant before, and nothing any more."""
        for box in [box for box in self._boxes if box.stale and not box.turns]:
            self._end(box)

    def close(self) -> None:
        """End all sandboxes; nothing runs in them any more."""
        while self._boxes:
            self._end(self._boxes[0])

    def _end(self, box: Box) -> None:
        self._boxes.remove(box)
        box.close()

    def _of_no_files(self, need: Need) -> Box | None:
        """The one for a grant that is about no files: what they are by now makes no difference."""
        if need.grant.actions & {"file-read", "file-write"}:
            return None
        return next((box for box in self._boxes if self._fits(box, need)), None)

    def _fits(self, box: Box, need: Need) -> bool:
        if box.stale or (box.turns and not self._shared):
            return False
        return (box.need is need or box.need == need) and box.processes.usable

    def _found(self, need: Need, spots: tuple[Spot, ...]) -> Box | None:
        for box in self._boxes:
            if self._fits(box, need):
                if box.spots == spots:
                    return box
                box.stale = True
        if not self._shared:
            self.close_stale()
        return None

    def _made(self, need: Need, spots: tuple[Spot, ...], system: list[str]) -> Box:
        around = self._around
        enclosure = Enclosure(temporary_folder(f"{around.mark}box-"))
        make = _namespace if need.level == "namespace" else _landlock
        try:
            enclosure.make()
            confinement = make(around, need, spots, system, enclosure)
        except OSError as fault:
            enclosure.remove()
            raise ChartError(
                f"a sandbox for it cannot be made: {fault.filename!r}: {fault.strerror}"
            ) from None
        box = Box(Processes(*self._modules, confinement=confinement), enclosure, need, spots)
        self._boxes.append(box)
        return box

    def _of_machine(self, need: Need) -> tuple[list[str], tuple[str, ...]]:
        """What is read outside of the workspace, and what of that lies in it."""
        environment, home = self._around.environment, str(self._around.workspace)
        search = environment.get("PATH", os.defpath)
        paths = system_paths(search, need.program, environment.get("HOME", ""))
        given = set(paths)
        paths += (file for file in need.files if given.isdisjoint(map(str, Path(file).parents)))
        inner = {path[len(home) + 1 :] for path in paths if path.startswith(f"{home}/")}
        outer = [path for path in paths if path != home and not path.startswith(f"{home}/")]
        return outer, tuple(sorted(inner))


def _files(scopes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(scope for scope in scopes if scope.startswith("files:"))


def _charted(around: Surroundings, grant: Grant, also: tuple[str, ...]) -> tuple[Spot, ...]:
    reads = grant.scope if "file-read" in grant.actions else ()
    writes = grant.writes if "file-write" in grant.actions else ()
    wanted = Wanted(_files(reads), _files(writes), around.own, also)
    make_way(around.workspace, wanted.writes)
    return chart(around.workspace, wanted)


def _namespace(
    around: Surroundings,
    need: Need,
    spots: tuple[Spot, ...],
    system: list[str],
    enclosure: Enclosure,
) -> Confinement:
    home = str(around.workspace)
    places = [
        (f"{home}/{spot.path}".rstrip("/"), spot.device, spot.inode)
        for spot in spots
        if spot.mode != "hide"
    ]
    rules = {"places": places, "limits": {**LIMITS, **LIMITS_OF_NAMESPACES}}
    arguments = bubblewrap.arguments(home, spots, system, enclosure, need.network)
    return Confinement(around.sandbox.bwrap, tuple(arguments), rules)


def _landlock(
    around: Surroundings,
    need: Need,
    spots: tuple[Spot, ...],
    system: list[str],
    enclosure: Enclosure,
) -> Confinement:
    home = str(around.workspace)
    rules = {
        "places": [],
        "limits": LIMITS,
        "workspace": home,
        "inner": listing.of_workspace(around.workspace, spots),
        "allowed": [
            *listing.of_system(system, enclosure.calls, (home,)),
            # What imports a file looks for its name in the folder that it lies in.
            *((os.path.dirname(file), "list") for file in need.files if file in system),
        ],
        "network": need.network,
    }
    return Confinement("", (), rules)
