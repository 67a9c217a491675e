"""G5: no lost update; every version of the state has one writer, which had seen the last."""

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.run_state import RunState
from tests.simulation.broken import hold


class Versions:
    """The shared state as the accepted results make it, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._version = 0
        self._values: dict[str, Json] = {}
        self._written: dict[str, int] = {}
        self._read: dict[str, int] = {}
        self._done: set[str] = set()

    def fold(self, event: Event, state: RunState) -> None:
        """Follow an event that the machine has applied."""
        if event.kind == "turn_started":
            seen = event.body["version"]
            hold(
                "G5",
                seen == self._version,
                f"{event.item!r} reads version {seen} of {self._version}",
            )
        # A person who gives a result knows what there is by then.
        given = event.kind == "item_decided" and event.body["decision"] == "accept"
        if given or event.kind in ("turn_started", "item_opened"):
            self._read[event.item] = self._version
        node = state.nodes.get(event.item)
        if node is not None and node.status == "succeeded" and event.item not in self._done:
            self._accepted(event, state)
        found = state.commits.version
        hold(
            "G5",
            found == self._version,
            f"version {found} after {event.kind}, due is {self._version}",
        )

    def _accepted(self, event: Event, state: RunState) -> None:
        node = state.nodes[event.item]
        self._done.add(event.item)
        read = self._read.get(event.item, 0)
        key = node.item.return_key
        if key is not None and not node.is_element:
            self._write(key, event.item, read, node.output, state)
        self._version += 1
        hold("G5", len(state.commits.writers) == self._version, "a version has no writer, or two")
        version, writer, attempt, seen = state.commits.writers[-1]
        due = (self._version, event.item, read)
        hold("G5", (version, writer, seen) == due, f"{(version, writer, seen)} wrote, due is {due}")
        hold("G5", attempt == node.attempt_id, f"attempt {attempt!r} is named for {event.item!r}")
        if "output" in event.body:
            kept = state.commits.values[event.item]
            hold("G5", kept == event.body["output"], f"{kept!r} is kept for {event.item!r}")

    def _write(self, key: str, name: str, read: int, output: Json, state: RunState) -> None:
        value = output.get(key, output)
        rule = self._plan.state[key].merge
        last = self._written.get(key, 0)
        if rule == "reject":
            hold(
                "G5",
                last <= read,
                f"{name!r} had read {read}, and writes over version {last} of {key!r}",
            )
        else:
            joined = list(self._values.get(key, []))
            for element in value:
                if rule == "append" or element not in joined:
                    joined.append(element)
            value = joined
        self._values[key] = value
        self._written[key] = self._version + 1
        kept = state.commits.values[key]
        hold("G5", kept == value, f"state {key!r} is {kept!r}, due is {value!r}")
