"""What the turns of a run's items have tried: their calls of tools, and what these changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from forge_cli.multiagent import tools
from forge_cli.multiagent.denials import OWN
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState

_ASKED = frozenset({"request_admitted", "request_denied", "steps_inserted"})
_WRITING = frozenset({"write_file", "edit_file"})


class Tried:
    """Counts calls by who made them, from one event after the other.

    The calls of a turn that were answered in it are counted before those that it asked for. What a
    handler of another kind says of its calls is data, and not counted. `denied` is the number of
    all that was denied.
    """

    def __init__(self, state: RunState) -> None:
        self.denied = 0
        self._state = state
        self._calls: Counter[str] = Counter()
        self._asked: dict[str, int] = {}
        self._changed: dict[str, set[str]] = {}
        self._beyond: set[str] = set()

    def apply(self, event: Event) -> None:
        """Take in one event of the run."""
        self.denied += len(denials_of(event))
        if event.kind == "turn_started" and event.body["turn"] == 1:
            self._calls.pop(event.item, None)
        elif event.kind == "turn_ended":
            self._turn_ended(event)
        elif event.kind in _ASKED:
            self._calls[event.item] += 1
            self._note(event)
        elif event.kind == "compensation_ended" and event.body["status"] == "done":
            self._changed.pop(event.item, None)

    def numbered(self, event: Event) -> Iterator[tuple[int, Json]]:
        """What an event that was not taken in yet says was denied, each as which call."""
        found = denials_of(event)
        if event.item in self._asked:
            yield from ((self._asked[event.item], each) for each in found)
        elif found:
            before = self._calls[event.item]
            made = [n for n, each in enumerate(_effects(event), 1) if "denied" in each]
            yield from zip((before + n for n in made or [1]), found, strict=True)

    def changed(self, item_id: str) -> int | None:
        """How many files an item has changed, if forge alone did and knows; else None."""
        role = self._state.roles.get(self._state.nodes[item_id].item.role_id)
        if role is None or role.handler.kind != "agent" or role.handler.config.get("servers"):
            return None
        if item_id in self._beyond:
            return None
        return len(self._changed.get(item_id, ()))

    def _turn_ended(self, event: Event) -> None:
        node, effects = self._state.nodes[event.item], _effects(event)
        if node.item.role_id != tools.ROLE.role_id or node.parent is None:
            kind = self._state.roles[node.item.role_id].handler.kind
            self._calls[event.item] += len(effects) if kind in OWN else 0
            return
        self._asked.pop(event.item, None)
        self._changed.setdefault(node.parent.item_id, set()).update(_written(effects))

    def _note(self, event: Event) -> None:
        """Remember as which call an item of its own is made, and whether it only changes files."""
        if event.kind == "request_admitted":
            self._asked[event.body["child"]] = self._calls[event.item]
        if event.kind != "request_denied" and event.body.get("tool") not in _WRITING:
            self._beyond.add(event.item)


def denials_of(event: Event) -> list[Json]:
    """What an event says was denied."""
    if event.kind == "request_denied":
        return [event.body] if "action" in event.body else []
    return list(event.body.get("denials", ()))


def _effects(event: Event) -> list[Mapping[str, Json]]:
    return list(event.body.get("effects") or ())


def _written(effects: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    for each in effects:
        if each.get("tool") in _WRITING and not each.keys() & {"denied", "failed"}:
            yield each["path"]
