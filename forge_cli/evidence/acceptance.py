"""Judging again what was accepted and rejected: keys, schema, criteria, digests of outputs."""

import json
from collections.abc import Callable, Mapping

from forge_cli.canonical import digest
from forge_cli.errors import ForgeError
from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS, kept_output
from forge_cli.gateway.acceptance import fault_of
from forge_cli.gateway.patience import UNDECIDED
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState

PATIENCE_AFTERWARDS = 60
"""Seconds for a verdict when it is given again: more, so that a slow machine does not differ."""


class Acceptance:
    """Holds each recorded verdict against the item's contract, with the result that was judged.

    Values that are too large to travel inline are read, at the end, from where the evidence keeps
    them; files of the workspace, which required evidence may name, cannot be looked at again.
    """

    def __init__(self, state: RunState) -> None:
        self.faults = Faults("acceptance")
        self.judged = 0
        self._state = state
        self._later: list[tuple[Event, int]] = []

    def check(self, event: Event, line: int) -> None:
        """Judge again what was judged, or put it by if its values are elsewhere.

        That is the answer of a `turn_ended`, or what a person gave in its place.
        """
        body = event.body
        if "verdict" not in body or event.kind not in ("turn_ended", "item_decided"):
            return
        output = body.get("output") or {}
        if any(True for _ in kept_output(output)):
            self._later.append((event, line))
        else:
            self._judge(event, output, line)

    def finish(self, artifact: Callable[[str], bytes]) -> None:
        """Judge what was put by; `artifact` gives the bytes of a digest, or raises `ForgeError`."""
        for event, line in self._later:
            output = dict(event.body["output"])
            try:
                for key, kept in kept_output(event.body["output"]):
                    output[key] = json.loads(artifact(kept))
            except (ForgeError, ValueError, RecursionError) as fault:
                self.faults.add(f"{EVENTS}:{line}: the result of {event.item!r}: {fault}")
            else:
                self._judge(event, output, line)

    def _judge(self, event: Event, output: Mapping[str, Json], line: int) -> None:
        self.judged += 1
        node, verdict = self._state.nodes[event.item], event.body["verdict"]
        if not verdict["accepted"] and UNDECIDED in verdict["reason"]:
            return  # how long it takes is a fact of the machine that it ran on
        plan, keys = self._state.plan, node.grant.outputs
        try:
            fault = fault_of(plan, node.item, keys, output, PATIENCE_AFTERWARDS)
        except Exception as error:  # noqa: BLE001  # the plan, or the value, may be none of forge's
            fault = f"it cannot be judged again: {error!r:.200}"
        if verdict["accepted"]:
            fault = fault or _unproven(node, output, verdict.get("evidence") or {})
            sentence = f"was accepted, and {fault}" if fault else ""
        else:
            # Evidence that was missing in the workspace leaves no trace in the output.
            explained = fault or node.item.evidence or not output
            reason = f"was rejected ({verdict['reason']}), and it meets its contract"
            sentence = "" if explained else reason
        if sentence:
            self.faults.add(f"{EVENTS}:{line}: the result of {event.item!r} {sentence}")


def _unproven(node: Node, output: Mapping[str, Json], evidence: Mapping[str, str]) -> str:
    for name in node.item.evidence:
        if name not in evidence:
            return f"its evidence {name!r} has no digest"
        if name in output and digest(output[name]) != evidence[name]:
            return f"its evidence {name!r} has another digest than {evidence[name]}"
    return ""
