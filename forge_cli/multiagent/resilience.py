"""Outcomes: what the run amounts to when some of its agents failed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from forge_cli.multiagent.values import words


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """How a role's work ended; only the status `succeeded` is a success."""

    role_id: str
    status: str


@dataclass(frozen=True, slots=True)
class CollaborationDecision:
    """The verdict, and the required roles without a success, sorted."""

    status: Literal["complete", "degraded", "failed"]
    missing_required: tuple[str, ...]


def assess_outcomes(
    outcomes: Iterable[AgentOutcome], required_roles: Iterable[str], minimum_successes: int
) -> CollaborationDecision:
    """`failed` if a required role or the minimum of successful roles is missed.

    Otherwise `degraded` if any outcome is not a success, else `complete`. No other success covers
    a required role.
    """
    ended = list(outcomes)
    required = words(required_roles, "required roles")
    successful = {outcome.role_id for outcome in ended if outcome.status == "succeeded"}
    missing = tuple(sorted(required - successful))
    if missing or len(successful) < minimum_successes:
        return CollaborationDecision("failed", missing)
    if any(outcome.status != "succeeded" for outcome in ended):
        return CollaborationDecision("degraded", ())
    return CollaborationDecision("complete", ())
