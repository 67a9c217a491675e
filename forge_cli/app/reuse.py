"""`forge run --reuse RUN`: what another run was given, to be taken over under the same terms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge_cli.app.show import Replay, stored_plan
from forge_cli.canonical import digest
from forge_cli.errors import ForgeError
from forge_cli.evidence.layout import kept_output
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.ports import Artifacts
from forge_cli.multiagent.sealing import terms


@dataclass(frozen=True, slots=True)
class Reusable:
    """Accepted results by item, each with the digest of its terms; `artifacts` has their bytes."""

    results: Mapping[str, Json]
    artifacts: Artifacts

    def hand_over(self, other: Artifacts) -> None:
        """Put the values that are kept as artifacts where another run looks for them."""
        for result in self.results.values():
            for _, kept in kept_output(result["output"]):
                other.put(self.artifacts.get(kept))


def reusable(folder: RunFolder) -> Reusable:
    """What the run has accepted so far; `ForgeError` if its ledger cannot be read."""
    with Reader.open(folder.ledger) as reader:
        replay = Replay(folder, reader, stored_plan(folder, reader))
        asked: dict[str, Event] = {}
        evidence: dict[str, Json] = {}
        for line in replay.lines():
            event = line.event
            if event.kind == "run_started" and "mock" in event.body:
                raise ForgeError(
                    f"run '{folder.run_id}' stands on recorded results, which nobody else may take"
                    " over; name another run"
                )
            if event.kind == "turn_started":
                asked[event.item] = event
            elif "verdict" in event.body:
                evidence[event.item] = event.body["verdict"].get("evidence", {})
    # What items asked for is asked for again, if at all, and then done.
    nodes = (n for n in replay.state.nodes.values() if n.status == "succeeded" and n.origin is None)
    results = {
        node.item_id: result
        for node in nodes
        for result in _result(replay, node, asked.get(node.item_id), evidence)
    }
    return Reusable(results, replay.artifacts)


def _result(
    replay: Replay, node: Node, asked: Event | None, evidence: Mapping[str, Json]
) -> Iterator[Json]:
    if asked is None:
        # It was taken over itself, or it is made of the results of others.
        taken = replay.state.reusable.get(node.item_id)
        yield from () if taken is None else (taken,)
        return
    yield {
        "run": replay.run.run_id,
        "attempt": asked.attempt,
        "output": node.output,
        "evidence": evidence.get(node.item_id, {}),
        "digest": digest(terms(replay.plan, node.item, node.item_id, node.grant, asked.body)),
    }
