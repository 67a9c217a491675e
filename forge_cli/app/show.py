"""One run as its ledger tells it: the machine's fold of its events, also while it goes on."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.evidence import verification
from forge_cli.evidence.checks import Check
from forge_cli.ledger import runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.lines import Line
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.plan_document import plan_from_document
from forge_cli.multiagent.run_state import RunState


@dataclass(frozen=True, slots=True)
class Told:
    """Where the evidence of a run is, and its head; None and empty where there is none.

    `manifest` is the file that was run, None where it is gone; `faults` are the checks of which
    the evidence notes that they found something wrong.
    """

    evidence: Path | None
    head: str
    manifest: Path | None = None
    faults: Sequence[Check] = ()


class Replay:
    """A run that is read from its ledger; `state` has folded in what `lines` has given so far."""

    def __init__(self, run: RunFolder, reader: Reader, plan: Plan) -> None:
        self.run = run
        self.plan = plan
        self.state = RunState(plan)
        self.artifacts = ArtifactFolder(run.artifacts)
        self._reader = reader
        self._tree = Tree()

    def lines(self) -> Iterator[Line]:
        """The events that were not given before; ask again for those that came since.

        `ForgeError` if they cannot have come about in this order.
        """
        for line in self._reader.lines(after=self._tree.size):
            try:
                self.state.apply(line.event)
            except (ValueError, KeyError) as fault:
                raise ForgeError(
                    f"event {line.seq} of run '{self.run.run_id}' cannot follow those before it: "
                    f"{fault}; `forge verify` says more"
                ) from fault
            self._tree.add(line.text.encode())
            yield line

    def status(self, now: int) -> str:
        """How the run stands at `now` (milliseconds since the epoch)."""
        return self.state.status or runs.status(self.run, now)

    def told(self, home: Path) -> Told:
        """What a verdict says of the evidence that was written when the run ended."""
        home, meta = home.resolve(), self._reader.meta()
        written = home / meta.get("manifest", "")
        manifest = written if written.is_file() else None
        place = meta.get("evidence")
        faults = None if place is None else verification.noted(home / place)
        if place is None or faults is None:
            return Told(None, "", manifest)
        return Told(home / place, f"{self._tree.root()} {self._tree.size}", manifest, faults)


def stored_plan(run: RunFolder, reader: Reader) -> Plan:
    """The plan that the run is bound to; `ForgeError` if its ledger holds none."""
    document = reader.meta().get("plan")
    if document is None:
        raise ForgeError(f"the ledger of run '{run.run_id}' holds no plan ('{run.ledger}')")
    return plan_from_document(json.loads(document))
