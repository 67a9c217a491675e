"""Functions that handlers' authors write on a bad day; those that stay leave their pid behind."""

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    """What the file defines is known only when it runs, so that nobody tells before."""
    raise AttributeError(name)


def stays(name: str) -> None:
    Path(f"{name}.pid").write_text(str(os.getpid()))


def fine(turn: Any) -> dict[str, Any]:
    return {"result": "fine"}


def crash(turn: Any) -> dict[str, Any]:
    raise RuntimeError("boom")


def dies(turn: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(turn: Any) -> None:
    sys.exit(3)


def hangs(turn: Any) -> None:
    stays("hangs")
    time.sleep(600)


def loops(turn: Any) -> None:
    stays("loops")
    re.match(r"(a+)+$", "a" * 40 + "b")


def deaf(turn: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stays("deaf")
    time.sleep(600)


def loud(turn: Any) -> dict[str, Any]:
    for _ in range(1600):
        sys.stdout.write("x" * 65_536)
    return {"result": "loud"}


def no_json(turn: Any) -> Any:
    return object()


def wrong(turn: Any) -> dict[str, Any]:
    return {"result": 7}


def forks(turn: Any) -> dict[str, Any]:
    if not os.fork():
        os.setsid()
        if not os.fork():
            stays("forks")
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not Path("forks.pid").exists():
        time.sleep(0.01)
    return {"result": "one is left"}


def closes(turn: Any) -> dict[str, Any]:
    os.close(1)
    os.close(2)
    return {"result": "closed"}
