"""The one way to a path of the workspace: name by name from its folder, and never through a link.

What was looked at is so what is opened, whoever changes the workspace meanwhile.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""What opening says of something that is no longer what it was when its folder was read."""


def opened(workspace: Path, path: str) -> int:
    """A descriptor of the folder; `OSError` where the path leads through a link or no folder."""
    descriptor = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in path.split("/") if path else ():
        try:
            inner = os.open(name, FOLDER, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


@contextlib.contextmanager
def within(workspace: Path, path: str) -> Iterator[tuple[int, str]]:
    """The folder that a path lies in, as a descriptor, and the path's name in it."""
    folder, _, name = path.rpartition("/")
    descriptor = opened(workspace, folder)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)
