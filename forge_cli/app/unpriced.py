"""Command-line agents that do not say what they cost, where cost is limited."""

from forge_cli.multiagent.plan import Item, Plan


def unpriced(plan: Plan) -> list[str]:
    """A sentence for each role whose calls would be booked as all that is left of the money.

    What a program does not tell is booked as all that was reserved for it, so somebody has to say
    how much that is.
    """
    roles = dict.fromkeys(item.role_id for item in plan.items.values() if _open_ended(plan, item))
    return [
        f"role '{role_id}' is {plan.roles[role_id].handler.config['preset']}, which does not say"
        " what it cost, and cost is limited; write  max_usage: {cost_usd: ...}  in its handler,"
        " which each call is booked with"
        for role_id in roles
    ]


def _open_ended(plan: Plan, item: Item) -> bool:
    if item.role_id not in plan.roles:
        return False
    config = plan.roles[item.role_id].handler.config
    if "preset" not in config or "cost_usd" in {*config["extract"], *config.get("max_usage", ())}:
        return False
    own = item.budget is not None and item.budget.cost_usd is not None
    above = (plan.contracts[name].budget for name in item.chain)
    budgets = [budget for budget in (plan.budget, *above) if budget is not None]
    return not own and any(budget.cost_usd is not None for budget in budgets)
