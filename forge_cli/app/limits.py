"""Limits of a run from flags and the environment: they only lower what the manifest states."""

from collections.abc import Mapping
from dataclasses import replace

from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Json, Plan

CONCURRENCY = "FORGE_MAX_CONCURRENCY"
JOINT_AGENTS = "FORGE_MAX_JOINT_AGENTS"
BUFFER = "FORGE_BROADCAST_BUFFER_SIZE"
DEPTH = "FORGE_HIERARCHICAL_MAX_DEPTH"
DECOMPOSITION = "FORGE_DYNAMIC_DECOMPOSITION_ENABLED"


def lowered(
    plan: Plan, settings: Mapping[str, Json], jobs: int | None, environment: Mapping[str, str]
) -> Plan:
    """The plan with the limits that `--jobs` and the environment ask for.

    `settings` are what the manifest says; where it leaves a limit out, that is theirs to set.
    `ForgeError` for one that would be raised, naming both, and for a joint item that is too large.
    """
    plan = _concurrency(plan, settings.get("max_concurrency"), jobs, environment)
    _check_joint(plan, settings.get("max_joint_agents"), environment)
    plan = _buffer(plan, settings.get("broadcast_buffer_size"), environment)
    plan = _depth(plan, settings.get("hierarchical_max_depth"), environment)
    return _decomposition(plan, settings.get("dynamic_decomposition"), environment)


def limited_as(plan: Plan, other: Plan) -> Plan:
    """The plan with the limits that another one of its manifest was given when its run began."""
    plan = _to_depth(plan, other.contracts["run"].depth)
    if not any(item.max_steps for item in other.items.values()):
        plan = _without_steps(plan)
    return replace(
        plan, max_concurrency=other.max_concurrency, broadcast_buffer=other.broadcast_buffer
    )


def _concurrency(
    plan: Plan, stated: int | None, jobs: int | None, environment: Mapping[str, str]
) -> Plan:
    name, wanted = ("--jobs", jobs)
    if wanted is None:
        name, wanted = CONCURRENCY, _number(CONCURRENCY, "turns", environment)
    if wanted is None:
        return plan
    if wanted < 1:
        raise ForgeError(f"{name} is {wanted}, at least 1 turn must be able to run")
    if stated is not None and wanted > stated:
        raise _raised(name, wanted, "max_concurrency", stated)
    return replace(plan, max_concurrency=wanted)


def _check_joint(plan: Plan, stated: int | None, environment: Mapping[str, str]) -> None:
    wanted = _number(JOINT_AGENTS, "sub-tasks", environment)
    if wanted is None:
        return
    if stated is not None and wanted > stated:
        raise _raised(JOINT_AGENTS, wanted, "max_joint_agents", stated)
    for item in plan.items.values():
        if item.pattern == "joint" and len(item.children) > wanted:
            raise ForgeError(
                f"{JOINT_AGENTS} is {wanted}, joint item '{item.item_id}' has"
                f" {len(item.children)} sub-tasks; split the item, or ask for more"
            )


def _buffer(plan: Plan, stated: int | None, environment: Mapping[str, str]) -> Plan:
    wanted = _number(BUFFER, "messages", environment)
    if wanted is None:
        return plan
    if stated and (wanted > stated or wanted == 0):
        raise _raised(BUFFER, wanted or "0, so without a limit", "broadcast_buffer_size", stated)
    return replace(plan, broadcast_buffer=wanted)


def _depth(plan: Plan, stated: int | None, environment: Mapping[str, str]) -> Plan:
    wanted = _number(DEPTH, "contracts", environment)
    if wanted is None:
        return plan
    if stated is not None and wanted > stated:
        raise _raised(DEPTH, wanted, "hierarchical_max_depth", stated)
    return _to_depth(plan, wanted)


def _to_depth(plan: Plan, depth: int) -> Plan:
    run = replace(plan.contracts["run"], depth=depth)
    return replace(plan, contracts={**plan.contracts, "run": run})


def _decomposition(plan: Plan, stated: bool | None, environment: Mapping[str, str]) -> Plan:
    text = environment.get(DECOMPOSITION, "")
    if text not in ("", "true", "false"):
        raise ForgeError(f"{DECOMPOSITION} is '{text:.40}'; write true or false")
    if text == "true" and stated is False:
        raise ForgeError(
            f"{DECOMPOSITION} is true, the manifest's dynamic_decomposition is false; it can only"
            " be switched off here"
        )
    return _without_steps(plan) if text == "false" else plan


def _without_steps(plan: Plan) -> Plan:
    items = {name: replace(item, max_steps=0) for name, item in plan.items.items()}
    return plan if items == plan.items else replace(plan, items=items)


def _raised(name: str, wanted: int | str, setting: str, stated: int) -> ForgeError:
    return ForgeError(
        f"{name} is {wanted}, the manifest's {setting} is {stated}; "
        "only a lower one can be given here, a higher one belongs into the manifest"
    )


def _number(name: str, what: str, environment: Mapping[str, str]) -> int | None:
    text = environment.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise ForgeError(f"{name} is '{text:.40}', which is not a whole number of {what}")
    return int(text)
