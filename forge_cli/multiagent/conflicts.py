"""Conflicts: which of several proposals wins, and why."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.values import copied

RISK_ORDER: Mapping[str, int] = {"read_only": 0, "reversible": 1, "irreversible": 2}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value, its risk (a key of `RISK_ORDER`) and how many pieces of evidence speak for it."""

    agent_id: str
    value: Json
    risk: str
    evidence_count: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", copied(self.value))


@dataclass(frozen=True, slots=True)
class Resolution:
    """The proposal that won, or None.

    The reason is `no_proposals`, `approval_required` or `lowest_risk_then_evidence`.
    """

    winner: Proposal | None
    reason: str


def resolve(proposals: Iterable[Proposal], approval_for_irreversible: bool = False) -> Resolution:
    """The least risky proposal wins, then the best evidenced, then the first agent by name.

    Irreversible ones take part only with approval. `ValueError` for a risk outside `RISK_ORDER`.
    """
    candidates = list(proposals)
    for proposal in candidates:
        if proposal.risk not in RISK_ORDER:
            raise ValueError(
                f"proposal of {proposal.agent_id!r} has the unknown risk {proposal.risk!r};"
                f" the risks are {', '.join(RISK_ORDER)}"
            )
    if not candidates:
        return Resolution(None, "no_proposals")
    if not approval_for_irreversible:
        candidates = [p for p in candidates if p.risk != "irreversible"]
    if not candidates:
        return Resolution(None, "approval_required")
    return Resolution(min(candidates, key=_preference), "lowest_risk_then_evidence")


def _preference(proposal: Proposal) -> tuple[int, int, str, str]:
    # The value decides last: of one agent's two proposals, the place in the list decides neither.
    text = json.dumps(proposal.value, sort_keys=True, default=repr)
    return RISK_ORDER[proposal.risk], -proposal.evidence_count, proposal.agent_id, text
