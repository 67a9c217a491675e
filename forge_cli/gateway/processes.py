"""Programs that forge starts: their environment is given, their end is certain.

Why nothing survives and no stranger is hit: every program has a guard of its own (`guard`), a
small process that is a child subreaper. The kernel gives each orphan below it to the guard,
whatever double forks, `setsid`, closed descriptors or an emptied environment preceded, so whose
descendant a process is, is known without marks that a program could take off, also when two turns
run at once. A guard without children (`ECHILD`) is the kernel's statement that the tree is gone;
until then it goes on killing. Signals go through pid handles that were compared with pid, start
time and parent. forge itself adopts nobody and waits for one child only, so asyncio's children
and those of other libraries are not touched. If forge dies, the guards' channels close and they
kill their trees; if a guard is killed, the warden above it adopts the orphans and kills them. A
guard that was stopped is killed by the warden, and one that gives no answer within bounds by forge.

What asks a process outside the tree to run something for it (`at`, a container daemon, `systemd`)
is out of reach: only a sandbox can hold that back.

Measured: a guard adds 0.6 ms to the 0.7 ms of a spawn; the warden starts once, in 25 ms.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from forge_cli.errors import ForgeError
from forge_cli.gateway import force, tree
from forge_cli.gateway.farewell import INSISTENCE

BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from forge_cli.gateway.warden import main; main(*sys.argv[2:])"
)
"""What the warden runs: its arguments are the descriptor of its rules, if any, and modules."""

ROOT = str(Path(__file__).parents[2])
"""The folder that `forge_cli` is in, for small interpreters that start without site-packages."""

LAST_WORD = 65_536

PATIENCE = 2 * INSISTENCE
"""Seconds beyond the grace period within which a guard must have told the end of its tree."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that outlived KILL."""

    pid: int
    name: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program and its tree ended.

    `status` is the exit status, negative for a signal, None where it never ran (then `errno` says
    why and `place` which path: the program's or the folder's) or where the guard was stopped or
    killed before it could tell (`lost`; what such a guard leaves is killed).
    """

    status: int | None = None
    errno: int | None = None
    place: str = ""
    survivors: tuple[Survivor, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """What to start. `path` is a file; `argv[0]` the name it is called by; `env` all it gets.

    `grace` is in seconds, between TERM and KILL. Nothing is looked up and no shell is involved.
    With `call`, `path` is `module:function` of forge's own, called with the rest of `argv` in a
    fork of a warden that was started with that module.
    """

    path: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    grace: float = 5.0
    call: bool = False


class ConfinementError(Exception):
    """A sandbox could not be made; the text is a sentence for the attempt's failure."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a warden is started in, and with it all programs that it starts.

    `wrapper` is a program that takes `arguments` from a descriptor and starts the warden in what it
    makes of them; empty if there is none. `rules` are what the warden holds itself to (`inside`).
    """

    wrapper: str
    arguments: Sequence[str]
    rules: Mapping[str, object]


class Process:
    """A started program. `ended` has its `Ending` once all of its tree is gone."""

    def __init__(self, control: socket.socket, grace: float) -> None:
        self._control = control
        self._grace = grace
        self._guard: tree.Member | None = None
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[Ending] = self._loop.create_future()
        self.pid: int | None = None
        self._status: int | None = None
        self._loop.add_reader(control, self._hear)

    def ask(self) -> None:
        """TERM to the whole tree, the grace period, then KILL. Returns at once; await `ended`."""
        self._tell(b"end")

    def kill(self) -> None:
        """KILL to the whole tree at once. Returns at once; await `ended`."""
        self._tell(b"kill")

    async def see_off(self) -> Ending:
        """End the tree and wait for it, whatever else is cancelled; cancelling again kills.

        Bounded: a guard that gives no answer is ended by force and, at the last, not waited for.
        """
        self.ask()
        if not await self._ends_within(self._grace + PATIENCE):
            if self._guard is not None:
                force.end(self._guard)
            if not await self._ends_within(INSISTENCE):
                self._end(Ending(self._status, lost=True))
        return self.ended.result()

    async def _ends_within(self, seconds: float) -> bool:
        due = self._loop.time() + seconds
        while not self.ended.done() and (left := due - self._loop.time()) > 0:
            try:
                await asyncio.wait([self.ended], timeout=left)
            except asyncio.CancelledError:
                self.kill()
                due = min(due, self._loop.time() + PATIENCE)
        return self.ended.done()

    def _tell(self, word: bytes) -> None:
        with contextlib.suppress(OSError):  # it has ended by itself
            self._control.send(word)

    def _hear(self) -> None:
        try:
            word = self._control.recv(LAST_WORD)
        except (BlockingIOError, ConnectionResetError):
            # It ended without reading our last word. Its own last words are still there: unix(7)
            # reports the reset once, ahead of them.
            return
        if not word:
            self._end(Ending(self._status, lost=True))
            return
        self._take(json.loads(word))

    def _take(self, words: dict[str, object]) -> None:
        match words:
            case {"guard": int(pid)}:
                self._guard = tree.look(pid)
            case {"started": int(pid)}:
                self.pid = pid
            case {"exited": int(status)}:
                self._status = status
            case {"left": list(left)}:
                survivors = tuple(Survivor(pid, name) for pid, name in left)
                self._end(Ending(self._status, survivors=survivors))
            case {"failed": int(errno), "place": str(place)}:
                self._end(Ending(errno=errno, place=place))

    def _end(self, ending: Ending) -> None:
        self._loop.remove_reader(self._control)
        self._control.close()
        if not self.ended.done():
            self.ended.set_result(ending)


@dataclass(frozen=True, slots=True)
class _Warden:
    """The warden's process, where it takes requests, and the file that it says its last in."""

    process: subprocess.Popen[bytes]
    requests: socket.socket
    words: IO[bytes]

    def wake(self) -> None:
        """Have it go on: a program that it started may have stopped it."""
        self.process.send_signal(signal.SIGCONT)

    def complaint(self) -> str:
        """What one that ended by itself has said last; nothing if it ended well, or not yet."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it may be about to end
            self.process.wait(timeout=0.1)
        status = self.process.returncode
        words = os.pread(self.words.fileno(), LAST_WORD, 0).decode(errors="replace").strip()
        said = words.splitlines()[-1] if words else f"exit status {status}"
        return said if status else ""

    def close(self) -> None:
        """Let it go, which it does once the last guard has; what takes too long is ended."""
        self.requests.close()
        self.wake()
        try:
            self.process.wait(timeout=INSISTENCE)
        except subprocess.TimeoutExpired:
            force.end_below(self.process.pid)
            self.process.kill()
            self.process.wait()


class Processes:
    """Starts programs through one warden, which comes with the first and goes with `close`.

    `modules` are what it imports for programs that are calls; a `confinement` holds it and them.
    """

    def __init__(self, *modules: str, confinement: Confinement | None = None) -> None:
        self._modules = modules
        self._confinement = confinement
        self._warden: _Warden | None = None
        self._said = ""

    @property
    def usable(self) -> bool:
        """Whether the warden, if there is one, has not ended by itself."""
        return self._warden is None or self._warden.process.poll() is None

    def complaint(self) -> str:
        """What a warden that ended by itself, or what it was started in, has said last."""
        return self._said if self._warden is None else self._warden.complaint()

    def start(self, program: Program, descriptors: Sequence[int]) -> Process:
        """Start the program with these as its descriptors 0, 1, 2, ...; the caller closes his own.

        Returns at once: that it could not start is told by its `ended`, too. Raises
        `ConfinementError` if what it is to be held by has ended already.
        """
        with usable_system():
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            order = write_order(program)
            try:
                self._send([theirs.fileno(), order, *descriptors])
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
                os.close(order)
            ours.setblocking(False)
            return Process(ours, program.grace)

    def close(self) -> None:
        """Let the warden go, which it does once the last guard has; `start` brings a new one."""
        if self._warden is not None:
            self._warden.close()
            self._said = self._warden.complaint()
            self._warden.words.close()
            self._warden = None

    def _send(self, descriptors: list[int]) -> None:
        for _ in range(2):
            if self._warden is None:
                self._warden = self._opened()
            self._warden.wake()
            try:
                socket.send_fds(self._warden.requests, [b"?"], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                self.close()  # somebody ended the warden: the next one takes the request
            else:
                return
        if self._confinement is not None:
            raise ConfinementError(f"its sandbox could not be made: {self.complaint()}")
        raise ForgeError("the process that starts programs ends as soon as it is started")

    def _opened(self) -> _Warden:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = os.fdopen(os.memfd_create("words"), "wb")
        files, wrapper, rules = self._confined()
        boot = (sys.executable, *self._options(), "-c", BOOT, ROOT, rules, *self._modules)
        with theirs:
            try:
                process = subprocess.Popen(
                    [*wrapper, *boot],
                    env={},
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=words.fileno(),
                    cwd="/",
                    start_new_session=True,
                    pass_fds=files,
                )
            except BaseException:
                ours.close()
                words.close()
                raise
            finally:
                for file in files:
                    os.close(file)
        return _Warden(process, ours, words)

    def _confined(self) -> tuple[list[int], list[str], str]:
        """Memory files to hand over, what the warden is started by, and where its rules are."""
        confinement = self._confinement
        if confinement is None:
            return [], [], ""
        rules = memory_file(json.dumps(confinement.rules).encode())
        if not confinement.wrapper:
            return [rules], [], str(rules)
        arguments = memory_file("\0".join(confinement.arguments).encode(errors="surrogateescape"))
        wrapper = [confinement.wrapper, "--args", str(arguments)]
        return [rules, arguments], wrapper, str(rules)

    def _options(self) -> tuple[str, ...]:
        """Isolated; with site-packages only for who may need them."""
        return ("-I", "-X", "utf8") if self._modules else ("-I", "-S", "-X", "utf8")


@contextlib.contextmanager
def usable_system() -> Iterator[None]:
    """Make a system that is out of descriptors, memory or processes a `ForgeError`."""
    try:
        yield
    except OSError as error:
        raise ForgeError(
            f"programs cannot be started here: {error.strerror}; raise the limit (ulimit -a) or "
            "lower max_concurrency"
        ) from None


def write_order(program: Program) -> int:
    """A memory file with the program as JSON: no limit of a message's size applies to it."""
    order = {
        "path": program.path,
        "argv": list(program.argv),
        "env": dict(program.env),
        "cwd": program.cwd,
        "grace": program.grace,
        "call": program.call,
    }
    descriptor = os.memfd_create("order")
    write_all(descriptor, json.dumps(order).encode())
    return descriptor


def memory_file(data: bytes) -> int:
    """A descriptor from which exactly these bytes are read: a standard input nobody has to feed."""
    descriptor = os.memfd_create("input")
    write_all(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however many calls that takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
