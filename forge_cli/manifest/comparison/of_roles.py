"""Roles and the contracts between them, as they are compared."""

from collections.abc import Iterator

from forge_cli.manifest.comparison.changes import Key
from forge_cli.manifest.comparison.limits import Allowance, Limit, Reach, earliest
from forge_cli.manifest.comparison.of_run import RUN
from forge_cli.manifest.comparison.parts import Fact, Part
from forge_cli.manifest.comparison.policies import on_failure
from forge_cli.manifest.comparison.programs import Program
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.limits import budget, narrowest, read_deadline
from forge_cli.manifest.meaning.nodes import Agent, Delegated, Written


def role_parts(side: Side) -> Iterator[Part]:
    """The manifest's own roles, in use or not, and of included ones those that are."""
    for role in side.topology.takes_part.values():
        yield _role(side, role)


def contract_parts(side: Side) -> Iterator[Part]:
    """Every contract between two roles."""
    for delegated in side.topology.contracts.values():
        yield _contract(side, delegated)


def role_key(role: Agent) -> Key:
    """What a role is known by in a comparison."""
    return ("role", role.role_id)


def contract_key(delegated: Delegated) -> Key:
    """What a contract is known by in a comparison."""
    return ("delegation", delegated.delegation_id)


def schema_holder(side: Side, written: str | None) -> tuple[Key, ...]:
    """The listed schema that a `completion` names, if it names one."""
    if written is None or not written.startswith("schema:"):
        return ()
    key = written.removeprefix("schema:")
    schema_id = key.partition("@")[0]
    listed = side.data["schemas"]
    same = [other for other in listed if other.partition("@")[0] == schema_id]
    return (("schema", schema_id if len(same) == 1 else key),)


def accepted(side: Side, written: Written, path: Path) -> dict[str, Fact]:
    """What a contract or an item says of acceptance and of what is told: the keys of both."""
    return {
        "completion": Fact(
            side.completion(written.get("completion")),
            (*path, "completion"),
            schema_holder(side, written.get("completion")),
        ),
        "criteria": Fact(frozenset(written.get("criteria", ())), (*path, "criteria")),
        "evidence": Fact(frozenset(written.get("evidence", ())), (*path, "evidence")),
        "return channel": Fact(
            frozenset({written["return_channel"]} if "return_channel" in written else ()),
            (*path, "return_channel"),
        ),
    }


def held(program: Program, path: Path) -> dict[str, Fact]:
    """A handler: what it calls, what it is given, and what holds it."""
    return {
        "handler": Fact(program, path),
        "secrets": Fact(program.secrets, (*path, "secrets")),
        "tools": Fact(program.tools, (*path, "tools")),
        "sandbox": Fact(program.sandbox, (*path, "sandbox")),
    }


def _role(side: Side, role: Agent) -> Part:
    path, written = role.path, role.written
    delegates = (*path, "delegates")
    limits = budget(written.get("budget"))
    facts = {
        "capabilities": Fact(role.capabilities, (*path, "capabilities")),
        "scope": Fact(Reach(role.scope), (*path, "scope"), () if "scope" in written else (RUN,)),
        "outputs": Fact(frozenset(role.outputs), (*path, "outputs")),
        "budget": Fact(Allowance(limits, narrowest(limits, side.plan.budget)), (*path, "budget")),
        "delegates": Fact(delegates_of(side, role), (*delegates, "to")),
        "delegated capabilities": Fact(
            role.delegated,
            (*delegates, "capabilities"),
            () if "capabilities" in written.get("delegates", {}) else (role_key(role),),
        ),
        "depth": Fact(role.depth, (*delegates, "depth")),
        **held(side.program(role.role_id), (*path, "handler")),
        "model family": Fact(written.get("model_family"), (*path, "model_family")),
        "instructions": Fact(written.get("instructions"), (*path, "instructions")),
    }
    return Part(role_key(role), path, facts, _may(role))


def delegates_of(side: Side, role: Agent) -> frozenset[str]:
    """The roles it may delegate to, whichever way they are referred to."""
    agents = ((name, side.topology.agent(name)) for name in role.delegates_to)
    return frozenset(agent.role_id if agent else name for name, agent in agents)


def _may(role: Agent) -> str:
    return f"may use {', '.join(sorted(role.capabilities)) or 'nothing'}"


def _contract(side: Side, delegated: Delegated) -> Part:
    path, written = delegated.path, delegated.written
    delegate, plan = delegated.delegate, side.plan
    limits, deadline = budget(written.get("budget")), read_deadline(written.get("deadline"))
    role = () if delegate is None else (role_key(delegate),)
    facts = {
        "delegator": Fact(_id(delegated.delegator), (*path, "delegator")),
        "delegate": Fact(_id(delegate), (*path, "delegate")),
        "capabilities": Fact(delegated.capabilities, (*path, "authority")),
        "scope": Fact(Reach(delegated.scope), (*path, "scope")),
        "outputs": Fact(
            frozenset(delegated.outputs), (*path, "outputs"), () if "outputs" in written else role
        ),
        "budget": Fact(Allowance(limits, narrowest(limits, plan.budget)), (*path, "budget")),
        "deadline": Fact(Limit(deadline, earliest(deadline, plan.deadline)), (*path, "deadline")),
        "depth": Fact(written.get("depth", 0), (*path, "depth")),
        "goal": Fact(written.get("purpose"), (*path, "purpose")),
        "context package": Fact(written.get("context_package"), (*path, "context_package")),
        "on_failure": Fact(on_failure(written.get("on_failure", "fail")), (*path, "on_failure")),
        "parent attempt": Fact(written.get("parent_attempt"), (*path, "parent_attempt")),
        **accepted(side, written, path),
    }
    return Part(contract_key(delegated), path, facts)


def _id(role: Agent | None) -> str:
    return role.role_id if role is not None else ""
