"""Routing: the least privileged worker that can do the work."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.values import quoted, words

_NAMED = 3
"""How many of the workers that come closest an error names."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker: its role and how many tasks it has now."""

    role: AgentRole
    active_tasks: int


def preference(capabilities: int, load: int, role_id: str) -> tuple[int, int, str]:
    """The order of preference among those who can: fewest capabilities, lowest load, role id."""
    return capabilities, load, role_id


def choose_worker(
    required_capabilities: Iterable[str], workers: Iterable[WorkerStatus]
) -> AgentRole:
    """The role that is preferred among those whose capabilities cover the need.

    `ValueError` that names the missing capabilities if there is none.
    """
    required = words(required_capabilities, "required capabilities")
    present = list(workers)
    able = [worker for worker in present if required <= worker.role.capabilities]
    if not able:
        raise ValueError(f"no worker holds {quoted(required)}{_shortfall(required, present)}")
    return min(able, key=_rank).role


def _rank(worker: WorkerStatus) -> tuple[int, int, str]:
    return preference(len(worker.role.capabilities), worker.active_tasks, worker.role.role_id)


def _shortfall(required: frozenset[str], workers: Sequence[WorkerStatus]) -> str:
    """What nobody holds or, if each capability is held by somebody, what the closest lack."""
    if not workers:
        return ": there are no workers"
    held = frozenset[str]().union(*(worker.role.capabilities for worker in workers))
    if unheld := required - held:
        return f": nobody holds {quoted(unheld)}"
    closest = sorted(workers, key=lambda w: (len(required - w.role.capabilities), _rank(w)))
    lacking = [
        f"{worker.role.role_id!r} lacks {quoted(required - worker.role.capabilities)}"
        for worker in closest[:_NAMED]
    ]
    more = f"; and {len(closest) - _NAMED} more" if len(closest) > _NAMED else ""
    return f" together: {'; '.join(lacking)}{more}"
