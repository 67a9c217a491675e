"""What the steps of GitHub's jobs are as items, as they can be typed."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.manifest.forms import ID
from forge_cli.manifest.naming import flow
from forge_cli.manifest.shape.typed import typed

_MOST = 8
"""Items that are written out."""
_LONGEST = 120
"""Characters of a step's program on one line."""


def items(jobs: Mapping[str, Any]) -> list[str]:
    """A line for each step that runs a program, which waits for the one before it in its job.

    Nothing if that is not plain: a step is long, there are many, or the name of a job is no id.
    """
    programs = {name: _programs(job) for name, job in jobs.items()}
    steps = [step for each in programs.values() for step in each]
    if not all(each and re.fullmatch(ID, name) for name, each in programs.items()):
        return []
    if len(steps) > _MOST or max(map(len, steps), default=0) > _LONGEST:
        return []
    return [line for name, each in programs.items() for line in _lines(name, each, jobs[name])]


def _lines(name: str, programs: list[str], job: Mapping[str, Any]) -> Iterator[str]:
    """The last one has the job's name, so that what waits for the job waits for all of it."""
    waits = _needs(job)
    for number, program in enumerate(programs, 1):
        item = name if number == len(programs) else f"{name}-{number}"
        run = typed("run", program, ("list",))
        order = f", depends_on: {flow(waits)}" if waits else ""
        yield f"{item}: {{{run}, capabilities: []{order}}}"
        waits = [item]


def _programs(job: Any) -> list[str]:
    steps = job.get("steps") if isinstance(job, dict) else None
    runs = [step.get("run") for step in steps or () if isinstance(step, dict)]
    return [run.strip() for run in runs if isinstance(run, str) and run.strip()]


def _needs(job: Mapping[str, Any]) -> list[str]:
    needs = job.get("needs", ())
    return [str(need) for need in ([needs] if isinstance(needs, str) else needs or ())]
