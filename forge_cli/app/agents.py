"""What the agents of a plan need here: packages, keys, and prices where cost is limited."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

from forge_cli.canonical import digest
from forge_cli.handlers.agent_settings import READ, WRITTEN, ModelError, named
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Plan, Role
from forge_cli.multiagent.plan_document import plan_document

KIND = "agent"
LARGEST = 2**53 - 1
PACKAGES = ("pydantic_ai", "genai_prices")
EXTRA = "'pydantic-ai-slim[anthropic,openai]' genai-prices"
"""What the extra `agents` adds, as pip takes it wherever forge came from."""


def lacking(plan: Plan) -> list[str]:
    """A sentence for each thing that the plan's agents cannot do without and is not here."""
    agents = _agents(plan)
    if not agents:
        return []
    if absent := [name for name in PACKAGES if find_spec(name) is None]:
        names = " and ".join(repr(name.replace("_", "-")) for name in absent)
        return [f"agents need {names}, not installed here; type: pip install {EXTRA}"]
    return [sentence for role in agents for sentence in _of_role(plan, role)]


def priced(plan: Plan) -> Plan:
    """The plan with what a call of each agent may cost, where some budget limits that.

    From the list of genai-prices; a manifest's own prices are in the plan already. Where nobody
    knows the price, which only a run with recorded results gets by with, it is all that is left.
    """
    if not _agents(plan) or not _limits_cost(plan):
        return plan
    known = all(find_spec(name) for name in PACKAGES)
    costs = {r.role_id: (_ceiling(r) if known else None) or LARGEST for r in _agents(plan)}
    return _with_cost(plan, costs)


def priced_as(plan: Plan, other: Plan) -> Plan:
    """The plan with what calls of its agents may cost in another one, where both have the agent."""
    costs: dict[str, int] = {}
    for role in _agents(plan):
        before = other.roles.get(role.role_id)
        usage = None if before is None else before.handler.max_usage
        if usage is not None and usage.cost_usd is not None:
            costs[role.role_id] = usage.cost_usd
    return _with_cost(plan, costs)


def _agents(plan: Plan) -> list[Role]:
    return [role for role in plan.roles.values() if role.handler.kind == KIND]


def _of_role(plan: Plan, role: Role) -> Iterator[str]:
    config = role.handler.config
    try:
        provider, name = named(config)
    except ModelError as fault:
        yield f"role '{role.role_id}': {fault}"
        return
    if provider and "api_key" not in config:
        key = f"{provider.upper()}_API_KEY"
        yield (
            f"role '{role.role_id}' names no key of {provider}; write  api_key: {key}  in its"
            f" handler and  secrets: [{key}]  at the top"
        )
    if _limits_cost(plan) and _ceiling(role) is None:
        yield (
            f"role '{role.role_id}' has the model '{name}', whose price is not known, and cost is"
            " limited; write  prices: {input: ..., output: ...}  in its handler"
        )


def _limits_cost(plan: Plan) -> bool:
    budgets = [plan.budget, *(role.budget for role in plan.roles.values())]
    budgets += [item.budget for item in plan.items.values()]
    budgets += [contract.budget for contract in plan.contracts.values()]
    return any(budget is not None and budget.cost_usd is not None for budget in budgets)


def _ceiling(role: Role) -> int | None:
    from forge_cli.handlers.agent_models import Prices

    try:
        return Prices(role.handler.config).ceiling(READ, WRITTEN)
    except ModelError:
        return None  # which `lacking` tells


def _usage(role: Role) -> Budget:
    return role.handler.max_usage or Budget()


def _with_cost(plan: Plan, costs: dict[str, int]) -> Plan:
    roles = dict(plan.roles)
    for name, cost in costs.items():
        usage = replace(_usage(roles[name]), cost_usd=cost)
        roles[name] = replace(roles[name], handler=replace(roles[name].handler, max_usage=usage))
    if roles == plan.roles:
        return plan
    bare = replace(plan, roles=roles, digest="")
    return replace(bare, digest=digest(plan_document(bare)))
