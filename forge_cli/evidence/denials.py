"""What was denied: each denial with the link that refused, and an item that must pause did."""

from collections import Counter

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent import tools
from forge_cli.multiagent.denials import denied, pausing, reads
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState


class Denials:
    """Looks at every event, once the run has applied it; `found` counts the denials."""

    def __init__(self, state: RunState) -> None:
        self.faults = Faults("denials")
        self.found = 0
        self._state = state
        self._full = state.plan.evidence == "full"
        self._reads: Counter[str] = Counter()
        self._due: set[str] = set()
        self._stopped: set[str] = set()

    def check(self, event: Event, line: int) -> None:
        """Note what is wrong with a denial, and where an item goes on that was to pause."""
        if event.kind == "turn_started":
            if event.item in self._due:
                self._add(line, f"{event.item!r} goes on, and was to pause for what it was denied")
            if event.body["turn"] == 1:
                self._reads[event.item] = 0
        elif event.kind in ("item_paused", "item_ended", "item_decided"):
            self._due.discard(event.item)
        elif event.kind == "request_denied" and "action" in event.body:
            self.found += 1
            self._due.add(event.item)
        elif event.kind == "turn_cancelled":
            self._stopped.add(event.attempt)
        elif event.kind == "turn_ended":
            self._ended(event, line)

    def _ended(self, event: Event, line: int) -> None:
        node, told = self._state.nodes[event.item], event.body.get("denials", [])
        self.found += len(told)
        if self._full and told != (right := self._right(event)):
            self._add(
                line, f"{event.item!r} was denied {_named(right)}, recorded is {_named(told)}"
            )
        # A turn that was being stopped ends as it would have without.
        stopped = event.attempt in self._stopped and event.body["status"] == "failed"
        cause = pausing(told, self._reads[event.item])
        self._reads[event.item] += reads(told)
        if told and node.item.role_id == tools.ROLE.role_id:
            self._due.add(node.item.parent or "")
        elif cause is not None and node.status == "succeeded":
            self._add(line, f"{event.item!r} succeeds, and was to pause for what it was denied")
        elif cause is not None and not stopped:
            self._due.add(event.item)

    def _right(self, event: Event) -> list[Json]:
        node = self._state.nodes[event.item]
        kind = self._state.roles[node.item.role_id].handler.kind
        return denied(self._state.plan, node, kind, event.body.get("effects", ()))

    def _add(self, line: int, sentence: str) -> None:
        self.faults.add(f"{EVENTS}:{line}: {sentence}")


def _named(found: list[Json]) -> str:
    return (
        ", ".join(f"{each['tool']} by {each.get('link', 'forge')}" for each in found) or "nothing"
    )
