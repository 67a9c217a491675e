"""A holder is gone only where that is certain."""

import os
import socket

import pytest

from forge_cli.ledger import holders

HOST = socket.gethostname()


def test_the_own_process_is_there() -> None:
    assert not holders.is_gone(holders.here())


def test_a_later_process_with_the_same_pid_is_another() -> None:
    assert holders.is_gone(f"{HOST}:{os.getpid()}:1")


@pytest.mark.parametrize(
    "holder",
    ["", "pid 1", f"{HOST}:{os.getpid()}", f"not-{HOST}:{os.getpid()}:1", f"{HOST}:x:1"],
    ids=["nobody", "another form", "no start time", "another host", "no pid"],
)
def test_what_cannot_be_known_is_not_gone(holder: str) -> None:
    assert not holders.is_gone(holder)
