"""`run.json` of given events, without a run and without files."""

from collections.abc import Iterable

from forge_cli.evidence.summary import Summary
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.run import Run


def summarise(plan: Plan, events: Iterable[Event], root: str = "") -> dict[str, Json]:
    """The document `run.json` for these events, whose RFC 6962 root is `root`.

    Raises `ValueError` for an event that cannot follow the ones before.
    """
    summary = Summary(Run(plan))
    for event in events:
        summary.run.apply(event)
        summary.add(event)
    return summary.document(root)
