"""Runs forge in a process whose changes of files below the working folder are watched.

`python -m tests.crashes.watched record FILE WORDS..` leaves all of them in the file, pickled.
`kill NUMBER WORDS..` ends the process with `kill -9` before the operation with that number, and
`fill NUMBER WORDS..` lets the disk be full from that one on.
"""

import os
import pickle
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from forge_cli.__main__ import main
from forge_cli.gateway.snapshots import Snapshots
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from tests.crashes.operations import Operation, watch
from tests.crashes.references import changed_content

FREEING = ("remove", "sync_folder")
"""What a full disk does as any other."""

SAID = ("acknowledged", "put_back")
"""What is no operation that the disk could refuse."""

_PLACES = ("/.forge", "/evidence")


class Watcher:
    """Counts and keeps what is done to files of forge's own below a folder."""

    def __init__(self, folder: str, kill: int = 0, fill: int = 0) -> None:
        self._folder = folder
        self._within = tuple(folder + place for place in _PLACES)
        self._kill = kill
        self._fill = fill
        self.operations: list[Operation] = []

    def __call__(self, operation: Operation) -> bool:
        """Whether the disk does it."""
        if operation.path != self._folder and not operation.path.startswith(self._within):
            return True
        if operation.kind == "sync_all":
            operation = self._with_workspace(operation)
        self.operations.append(operation)
        number = len(self.operations)
        if number == self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        return operation.kind in FREEING or not 0 < self._fill <= number

    def note_promises(self) -> None:
        """Keep among the operations how many events the ledger promises, and what is put back."""
        append, restore = Store.append, Snapshots.restore

        def promised(store: Store, events: Sequence[Event]) -> None:
            append(store, events)
            self.operations.append(Operation("acknowledged", str(store.path), offset=store.size))

        def put_back(snapshots: Snapshots, snapshot: str) -> int:
            count = restore(snapshots, snapshot)
            self.operations.append(self._with_workspace(Operation("put_back", self._folder)))
            return count

        Store.append = promised  # type: ignore[method-assign, assignment]
        Snapshots.restore = put_back  # type: ignore[method-assign, assignment]

    def _with_workspace(self, operation: Operation) -> Operation:
        content = pickle.dumps(changed_content(Path(self._folder)))
        return operation._replace(data=content)


def launch(word: str, argument: str, words: list[str]) -> int:
    """Exit status of forge, if it lives."""
    number = int(argument) if word in ("kill", "fill") else 0
    watcher = Watcher(str(Path.cwd()), **({word: number} if number else {}))
    watch(watcher)
    if word == "record":
        watcher.note_promises()
    status = main(words)
    if word == "record":
        Path(argument).write_bytes(pickle.dumps([tuple(one) for one in watcher.operations]))
    return status


if __name__ == "__main__":
    sys.exit(launch(sys.argv[1], sys.argv[2], sys.argv[3:]))
