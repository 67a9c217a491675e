"""What the first process of a sandbox does to itself before it starts anything."""

import json
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway import warden
from forge_cli.gateway.processes import memory_file
from forge_cli.gateway.sandbox import inside, landlock
from forge_cli.gateway.sandbox.landlock import READ, READ_DIR, TCP
from tests.gateway.sandbox.kernel import Kernel

Aside = Callable[[Callable[[], Any]], Any]


def enter(**rules: Any) -> None:
    whole = {"places": [], "limits": {}, **rules}
    inside.enter(memory_file(json.dumps(whole).encode()))


def place(path: Path, **other: int) -> list[Any]:
    status = path.stat()
    return [str(path), status.st_dev, other.get("inode", status.st_ino)]


def test_places_are_what_they_were_when_they_were_looked_at(aside: Aside, tmp_path: Path) -> None:
    assert aside(lambda: enter(places=[place(tmp_path)])) is None

    def replaced() -> str:
        with pytest.raises(inside.ReplacedError) as raised:
            enter(places=[place(tmp_path, inode=1)])
        return str(raised.value)

    assert aside(replaced) == f"'{tmp_path}' was replaced while its sandbox was made"


@pytest.mark.parametrize(("most", "hard", "limit"), [(5, 7, 5), (9, 7, 7), (5, -1, 5)])
def test_limits_are_lowered_and_never_raised(
    aside: Aside, most: int, hard: int, limit: int
) -> None:
    def limited() -> tuple[int, int]:
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
        enter(limits={"RLIMIT_CORE": most})
        return resource.getrlimit(resource.RLIMIT_CORE)

    if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
        pytest.skip("cores are limited here already")
    assert aside(limited) == [limit, limit]


def test_rules_for_landlock_are_of_the_workspace_first_and_then_of_all_else(
    aside: Aside, tmp_path: Path
) -> None:
    (tmp_path / "home/src").mkdir(parents=True)

    def held() -> list[Any]:
        kernel = Kernel(version=7)
        vars(landlock)["LIBC"] = kernel
        enter(
            workspace=str(tmp_path / "home"),
            inner=[["", "list"], ["src", "read"]],
            allowed=[["/usr", "read"]],
            network=False,
        )
        assert kernel.handled
        return [kernel.held, kernel.handled[1], kernel.rules]

    home = str(tmp_path / "home")
    rules = {home: READ_DIR, f"{home}/src": READ, "/usr": READ}
    assert aside(held) == [True, TCP, rules]


def test_a_warden_is_held_before_it_starts_anything(aside: Aside) -> None:
    def served() -> tuple[int, int]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        os.dup2(theirs.fileno(), warden.REQUESTS)
        ours.close()
        theirs.close()
        rules = json.dumps({"places": [], "limits": {"RLIMIT_CORE": 0}})
        warden.main(str(memory_file(rules.encode())))
        return resource.getrlimit(resource.RLIMIT_CORE)

    assert aside(served) == [0, 0]
