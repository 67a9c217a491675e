"""Role contracts: what a role can do and make, and the delegations that its contract covers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.values import copied, quoted, words


@dataclass(frozen=True, slots=True)
class AgentRole:
    """A role: the capabilities it holds and the output keys it can produce. Empty means nothing."""

    role_id: str
    capabilities: frozenset[str]
    output_keys: frozenset[str]

    def __post_init__(self) -> None:
        held = words(self.capabilities, f"capabilities of role {self.role_id!r}")
        made = words(self.output_keys, f"output keys of role {self.role_id!r}")
        object.__setattr__(self, "capabilities", held)
        object.__setattr__(self, "output_keys", made)


@dataclass(frozen=True, slots=True)
class Delegation:
    """Work handed to a role: what for, with what, what it may use and what it must return."""

    delegation_id: str
    role_id: str
    goal: str
    inputs: Mapping[str, Json]
    allowed_capabilities: frozenset[str]
    expected_output_keys: frozenset[str]

    def __post_init__(self) -> None:
        what = f"of delegation {self.delegation_id!r}"
        allowed = words(self.allowed_capabilities, f"allowed capabilities {what}")
        expected = words(self.expected_output_keys, f"expected output keys {what}")
        object.__setattr__(self, "inputs", copied(self.inputs))
        object.__setattr__(self, "allowed_capabilities", allowed)
        object.__setattr__(self, "expected_output_keys", expected)


def delegate(
    role: AgentRole,
    delegation_id: str,
    goal: str,
    inputs: Mapping[str, Json],
    allowed_capabilities: Iterable[str],
    expected_output_keys: Iterable[str],
) -> Delegation:
    """A delegation to the role, exactly as asked for.

    `ValueError` for a blank id or goal, and for capabilities or output keys beyond the role's: the
    text names the surplus. Nothing is trimmed to fit.
    """
    if not delegation_id.strip():
        raise ValueError(f"a delegation to role {role.role_id!r} needs an id that is not blank")
    if not goal.strip():
        raise ValueError(f"delegation {delegation_id!r} needs a goal that is not blank")
    allowed = words(allowed_capabilities, f"allowed capabilities of delegation {delegation_id!r}")
    expected = words(expected_output_keys, f"expected output keys of delegation {delegation_id!r}")
    if surplus := allowed - role.capabilities:
        raise ValueError(
            f"delegation {delegation_id!r} exceeds role {role.role_id!r}, which does not hold"
            f" {quoted(surplus)}; it holds {quoted(role.capabilities)}"
        )
    if surplus := expected - role.output_keys:
        raise ValueError(
            f"delegation {delegation_id!r} expects output that role {role.role_id!r} does not"
            f" produce: {quoted(surplus)}; it produces {quoted(role.output_keys)}"
        )
    return Delegation(delegation_id, role.role_id, goal, inputs, allowed, expected)
