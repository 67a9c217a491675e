"""What a command-line agent is doing, told from its events while it prints them."""

import json
from collections.abc import Callable

from forge_cli.handlers.answers import AnswerError
from forge_cli.handlers.extract import search

LONGEST = 64 * 1024
"""Bytes of a line that is looked at."""

MOST = 10_000
"""Lines of one call that are looked at: each takes a little of the run's time."""

SHOWN = 200
"""Characters of one telling."""


class EventWords:
    """Hears what is printed, and tells what each event says of what is being done.

    `expression` gives the words of an event, null for one that says nothing of that.
    """

    def __init__(self, expression: str, tell: Callable[[str], None]) -> None:
        self._expression = expression
        self._tell = tell
        self._line = bytearray()
        self._seen = 0
        self._told = ""

    def hear(self, data: bytes) -> None:
        """Take what was printed next; lines may come in pieces."""
        *ended, rest = data.split(b"\n")
        for line in ended:
            self._add(line)
            self._look(bytes(self._line))
            self._line.clear()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._line += piece[: LONGEST + 1 - len(self._line)]

    def _look(self, line: bytes) -> None:
        self._seen += 1
        if self._seen > MOST or len(line) > LONGEST or not line.startswith(b"{"):
            return
        try:
            words = search(self._expression, json.loads(line))
        except (AnswerError, ValueError, RecursionError):
            return  # what it is in the end is looked at in the end
        text = " ".join(words[: 4 * SHOWN].split())[:SHOWN] if isinstance(words, str) else ""
        if text and text != self._told:
            self._told = text
            self._tell(text)
