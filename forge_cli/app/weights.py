"""What context packages weigh with the files that they name."""

from collections.abc import Iterator
from pathlib import Path

from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.values import weight


def overweight(plan: Plan, workspace: Path) -> list[str]:
    """A sentence for each package that is handed over and exceeds its `max_bytes`.

    A file that is not there yet weighs nothing.
    """
    used = {item.context_package for item in plan.items.values()}
    told = []
    for name, package in plan.context_packages.items():
        limit = package.get("max_bytes")
        weighs = weight(package) + sum(_size(workspace / file) for file in _files(package))
        if name in used and limit is not None and weighs > limit:
            told.append(
                f"context package '{name}' weighs {weighs} bytes with its files, and its max_bytes"
                f" is {limit}"
            )
    return told


def _files(package: Json) -> Iterator[str]:
    names = [*package.get("summary", {}).get("artifacts", ()), package.get("transcript", "")]
    return (name.removeprefix("files:") for name in names if name)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
