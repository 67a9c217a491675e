"""The stream that progress is shown on: what it can show, and how it is written to."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TextIO

from forge_cli.cli.terminal import Terminal, in_actions


@dataclass(frozen=True, slots=True)
class Console:
    """Where progress goes. `write` takes text; `size` gives columns and rows of a live terminal.

    `live`: a terminal whose last lines can be redrawn. `github`: annotations as well, beside the
    file `manifest`. `now` is in milliseconds since the epoch.
    """

    write: Callable[[str], object]
    terminal: Terminal
    live: bool = False
    github: bool = False
    manifest: str = ""
    size: Callable[[], tuple[int, int]] = lambda: (100, 24)
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000

    @classmethod
    def of(
        cls,
        stream: TextIO,
        color: str = "auto",
        quiet: bool = False,
        manifest: str = "",
        environ: Mapping[str, str] = os.environ,
    ) -> "Console":
        """What the stream can show; with `quiet` nothing is shown, and only the board is kept."""
        terminal = Terminal.of(stream, color, environ)
        if quiet:
            return cls(lambda _: None, terminal)
        github = in_actions(environ)
        try:
            number = stream.fileno()
        except (OSError, ValueError):
            return cls(stream.write, terminal, False, github, manifest)

        def size() -> tuple[int, int]:
            found = os.get_terminal_size(number)
            return found.columns or 100, found.lines or 24

        return cls(to_descriptor(stream), terminal, terminal.live, github, manifest, size)


def to_descriptor(stream: TextIO) -> Callable[[str], object]:
    """Writes past the stream's buffer and its lock, which a stuck terminal would keep for ever."""
    stream.flush()
    number, encoding = stream.fileno(), stream.encoding

    def write(text: str) -> None:
        data = text.encode(encoding, "backslashreplace")
        while data:
            data = data[os.write(number, data) :]

    return write
