"""The first lines of a run: its names, what it may spend, and until when."""

from forge_cli.cli.board import Board
from forge_cli.cli.figures import amounts, clock, count, deadline
from forge_cli.cli.tables import flow
from forge_cli.multiagent.plan import DEFAULT_BUDGET, DEFAULT_DEADLINE, Plan


def sandbox(reached: str) -> str:
    """What holds the programs that handlers start, as the run's start says it."""
    return f"sandbox {reached}"


def header(plan: Plan, run_id: str, *note: str) -> list[str]:
    """Who runs: manifest, run and plan; `note` is what else belongs into that line."""
    items = sum(item.parent is None for item in plan.items.values())
    parts = [f"run {run_id}", f"plan {short_digest(plan.digest)}", count(items, "item"), *note]
    return flow(f"{plan.name}  ", parts)


def resumed(board: Board, run_id: str, epoch: int) -> list[str]:
    """Who goes on with a run, and how much of it is done."""
    accepted = f"{board.tally['succeeded']:,} of {count(len(board.tops), 'item')} accepted"
    parts = [f"run {run_id}", f"resumed (controller epoch {epoch})", accepted]
    return flow(f"{board.plan.name}  ", parts)


def limits(plan: Plan, until: int | None, now: int) -> str:
    """What the run may spend and until when (milliseconds since the epoch), if it says either.

    Empty where both are the defaults, and without a budget that is: a run without models has none
    in mind.
    """
    if plan.budget == DEFAULT_BUDGET and plan.deadline == DEFAULT_DEADLINE:
        return ""
    texts = [] if plan.budget == DEFAULT_BUDGET else [amounts(plan.budget.limits())]
    if until is not None:
        stated = "" if plan.deadline.within is None else f" ({stated_deadline(plan)})"
        texts.append(f"deadline {clock(until, now)}{stated}")
    return "   ".join(texts)


def stated_deadline(plan: Plan) -> str:
    """The run's deadline as the manifest has it, or as the default has."""
    default = ", default" if plan.deadline == DEFAULT_DEADLINE else ""
    return deadline(plan.deadline) + default


def short_digest(digest: str) -> str:
    """The first eight digits of a `sha256:<hex>`."""
    return digest.rpartition(":")[2][:8]
