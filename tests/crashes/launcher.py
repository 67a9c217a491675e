"""Runs forge in a process that ends itself with `kill -9` at a given commit of a ledger.

`python -m tests.crashes.launcher before|after NUMBER WORDS..` stops before SQLite is told to
commit, or after it has said that the commit is durable. `count FILE WORDS..` kills nothing and
leaves in the file how many commits there were.
"""

import os
import signal
import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import Any

from forge_cli.__main__ import main


class Watched(sqlite3.Connection):
    """A connection that counts the commits of the process."""

    commits = 0
    before = 0
    after = 0

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        """As SQLite does it; the process may not live through a commit."""
        if sql != "COMMIT":
            return super().execute(sql, *parameters)
        Watched.commits += 1
        _die(Watched.commits == Watched.before)
        done = super().execute(sql, *parameters)
        _die(Watched.commits == Watched.after)
        return done


def _die(due: bool) -> None:
    if due:
        os.kill(os.getpid(), signal.SIGKILL)


def launch(word: str, argument: str, words: list[str]) -> int:
    """Exit status of forge, if it lives."""
    sqlite3.connect = partial(sqlite3.connect, factory=Watched)  # type: ignore[assignment]
    if word == "count":
        status = main(words)
        Path(argument).write_text(str(Watched.commits))
        return status
    setattr(Watched, word, int(argument))
    return main(words)


if __name__ == "__main__":
    sys.exit(launch(sys.argv[1], sys.argv[2], sys.argv[3:]))
