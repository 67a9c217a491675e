"""`environment.json`: what differs between machines, so it is kept apart from what must not."""

import platform
import sqlite3

import forge_cli
from forge_cli.evidence.layout import FORMAT_VERSION
from forge_cli.multiagent.plan import Json


def environment(engine: str, sandbox: str, wall: int, cpu: int) -> dict[str, Json]:
    """The document for a run here; `wall` and `cpu` are what it took, in milliseconds."""
    return {
        "format_version": FORMAT_VERSION,
        "versions": {
            "forge": forge_cli.__version__,
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
        },
        "platform": {"system": platform.system(), "machine": platform.machine()},
        "engine": engine,
        "sandbox": sandbox,
        "durations": {"wall": wall, "cpu": cpu},
    }
