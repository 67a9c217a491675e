"""A command handler's program: found, called with its streams captured, and how it ended, told."""

import asyncio
import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from forge_cli.gateway.processes import (
    Ending,
    Process,
    Processes,
    Program,
    Survivor,
    memory_file,
)
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.streams import Capture, Pipe

REASONS = {
    errno.ENOENT: "it or the interpreter that its first line names is not there",
    errno.EACCES: "it is not executable; type: chmod +x {path}",
    errno.ENOEXEC: "it is no program and has no first line such as #!/bin/sh",
    errno.E2BIG: "its arguments and inputs are too long for a command line and an environment "
    "(one text: 128 KiB); hand them over with stdin: json",
    errno.ENOTDIR: "a part of the path is no folder",
    errno.EAGAIN: "the system allows no more processes",
    errno.ENOMEM: "there is not enough memory",
}


class StartError(Exception):
    """The program cannot be started; the text is a sentence for the attempt's failure."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a program printed on one stream, redacted; `cut` if only its ends were kept."""

    data: bytes = b""
    size: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One finished call. `stopped` if it was cancelled before it had ended by itself."""

    ending: Ending
    stdout: Printed
    stderr: Printed
    stopped: bool = False


async def call(
    processes: Processes,
    redactor: Redactor,
    program: Program,
    stdin: bytes | None,
    cap: int,
    hear: Callable[[bytes], object] | None = None,
) -> Call:
    """Run the program to the end of its whole tree; cancelling makes that end come.

    `stdin` None is an empty standard input, never the terminal. `cap` is in bytes a stream. `hear`
    is given its standard output as it comes.
    Returns also when cancelled: the caller raises on, with what was captured.
    """
    captures = [Capture(redactor, cap, heard) for heard in (hear, None)]
    pipes = [Pipe(capture.feed) for capture in captures]
    source = os.open(os.devnull, os.O_RDONLY) if stdin is None else memory_file(stdin)
    try:
        process = processes.start(program, [source, *(pipe.theirs for pipe in pipes)])
    finally:
        os.close(source)
        for pipe in pipes:
            pipe.release()
    ending, stopped = await to_the_end(process)
    for pipe in pipes:
        pipe.close()
    return Call(ending, printed(captures[0]), printed(captures[1]), stopped)


async def to_the_end(process: Process) -> tuple[Ending, bool]:
    """Wait for the program and its tree; when cancelled, bring their end about. Cancelled?"""
    try:
        await asyncio.wait([process.ended])
    except asyncio.CancelledError:
        return await process.see_off(), True
    return process.ended.result(), False


def printed(capture: Capture) -> Printed:
    """What the stream came to."""
    data = capture.finish()
    return Printed(data, capture.size, capture.cut)


def locate(name: str, environment: Mapping[str, str], folder: Path) -> str:
    """The file that a program's name stands for; one with a slash is relative to `folder`."""
    if "/" in name:
        return os.path.join(folder, name)  # noqa: PTH118  a Path would drop "./"
    if found := shutil.which(name, path=environment["PATH"]):
        return os.path.abspath(os.path.join(folder, found))  # noqa: PTH100, PTH118
    raise StartError(f"program {name!r} is not on PATH ({environment['PATH']}); install it")


def check_texts(texts: Mapping[str, str]) -> None:
    """Refuse what no argument or variable can hold."""
    for where, text in texts.items():
        if "\0" in text:
            raise StartError(f"{where} holds a NUL character, which no program can be given")
        with contextlib.suppress(UnicodeEncodeError):
            # Not in forge's own encoding: the process that starts programs always has this one.
            text.encode("utf-8", "surrogateescape")
            continue
        raise StartError(f"{where} holds half of a surrogate pair, which is no text")


def failure(program: Program, ending: Ending, complaint: str = "") -> str | None:
    """How the program failed, as a sentence, or None if it ran and said 0.

    `complaint` is what its sandbox said when it could not be made.
    """
    if ending.lost and complaint and ending.status is None:
        return f"its sandbox could not be made: {complaint}"
    if ending.lost:
        return "the process that watched over it was stopped or killed; what it did is not known"
    if ending.errno is not None:
        return not_started(program, ending)
    if ending.status is None:
        return "how it ended is not known"
    if ending.status < 0:
        return f"ended by signal {signal_name(-ending.status)}"
    return f"exit status {ending.status}" if ending.status else None


def not_started(program: Program, ending: Ending) -> str:
    """Why a program could not be started."""
    code = ending.errno or 0
    if ending.place == program.cwd:
        return f"folder {program.cwd!r}, where programs run, is unusable: {os.strerror(code)}"
    reason = REASONS.get(code, os.strerror(code)).format(path=program.path)
    return f"program {program.path!r} did not start: {reason}"


def signal_name(number: int) -> str:
    """`SIGSEGV`, or the number of a real-time signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def named(survivors: tuple[Survivor, ...]) -> str:
    """What outlived KILL, for the end of a message; empty in all but the oddest cases."""
    if not survivors:
        return ""
    names = ", ".join(f"{survivor.pid} ({survivor.name})" for survivor in survivors)
    return f"; still running although killed: {names}"
