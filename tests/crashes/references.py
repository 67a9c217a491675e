"""The reference runs: shipped manifests that need no key, and what a run of each comes to."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.field_reports.processes import Ended, Forge
from tests.warm import ROOT

RUN_ID = "r"
LEDGER = f".forge/runs/{RUN_ID}/ledger.db"
"""Where the ledger of the run is, in its workspace."""

_TOOK = re.compile(r"\b[0-9]+\.[0-9]+s\b")
"""How long something took, as test runners say it in what an item gives."""

_PAUSED = 4

_MANIFESTS = ROOT / "manifests"


@dataclass(frozen=True, slots=True)
class Reference:
    """A manifest below `manifests/`; `writers` are its items that change files once, and where.

    What such an item did to files before a crash a person puts back before it is run again.
    `decision` are the words by which a person goes on with the run when it has paused.
    """

    manifest: str
    writers: Mapping[str, str] = field(default_factory=dict)
    decision: tuple[str, ...] = ()

    def laid_out(self, folder: Path) -> Forge:
        """The workspace of a run that has not begun, in a folder that is made for it."""
        shutil.copytree(
            _MANIFESTS, folder / "manifests", ignore=shutil.ignore_patterns("__pycache__")
        )
        return Forge(folder)

    def command(self) -> list[str]:
        """The words behind `forge` that start the run."""
        path = f"manifests/{self.manifest}"
        return ["run", path, "--workspace", ".", "--run-id", RUN_ID, "--format", "jsonl"]

    def concluded(self, forge: Forge, ended: Ended) -> Ended:
        """How the run ends for good that has ended so: what is to be decided is."""
        if ended.code != _PAUSED or not self.decision:
            return ended
        words = ["resume", RUN_ID, "--workspace", ".", *self.decision, "--format", "jsonl"]
        return forge(*words)

    def put_back(self, folder: Path, item: str) -> None:
        """The files that an item changes, as they were before the run."""
        if changed := self.writers.get(item):
            shutil.rmtree(folder / "manifests" / changed)
            shutil.copytree(_MANIFESTS / changed, folder / "manifests" / changed)


REFERENCES = (
    *(Reference(f"labs/{path.name}") for path in sorted((_MANIFESTS / "labs").glob("*.yaml"))),
    Reference("office-research.yaml"),
    Reference("music-creation.yaml"),
    Reference("joint-design.yaml"),
    Reference("broadcast-incident.yaml"),
    Reference("resolve-retention.yaml"),
    Reference("hierarchical-delivery.yaml"),
    Reference("dynamic-migration.yaml"),
    Reference("authorization-review.yaml", {"patch": "authorization-review/security"}),
    Reference("software-delivery.yaml", {"build": "software-delivery/shop"}),
    Reference("containment/approval.yaml"),
    Reference("containment/escalation.yaml"),
    Reference("containment/crash.yaml"),
    Reference("containment/restore.yaml", {"edit": "containment/desk"}),
    Reference("containment/undo.yaml"),
    Reference("containment/denied-write.yaml", decision=("--deny", "draft")),
    # One that was lost is made again on the version that is there by then, so nobody is asked.
    Reference("containment/conflict.yaml", decision=("--reissue", "slow")),
)

Outcome = dict[str, Any]


def outcome(folder: Path) -> Outcome:
    """What a run came to, as its evidence tells: status, state, outputs; None without any."""
    path = next(folder.glob(f"evidence/*/{RUN_ID}/run.json"), None)
    if path is None:
        return dict.fromkeys(("status", "outputs", "items", "state", "undone"))
    record = json.loads(_TOOK.sub("", path.read_text()))
    return {
        "status": record["run"]["status"],
        "outputs": _timeless(record["run"].get("outputs")),
        "items": {
            name: (row["status"], _timeless(row.get("output")))
            for name, row in record["items"].items()
        },
        # What runs side by side ends in any order.
        "state": sorted(row["item"] for row in record["state_versions"]),
        "undone": [r["item"] for r in record.get("compensations", ()) if r.get("status") == "done"],
    }


def _timeless(output: Any) -> Any:
    """An output whose messages have no time; on a bus, they come in any order."""
    if not isinstance(output, dict):
        return output
    for entry in (*output.get("board", ()), *output.get("log", ())):
        del entry["time"]
    if "log" in output:
        output["log"].sort(key=str)
    return output


def changed_files(folder: Path) -> list[str]:
    """The files of the workspace that are not as they were laid out, new and missing ones too."""
    return sorted(changed_content(folder))


def changed_content(folder: Path) -> dict[str, bytes | None]:
    """Their content by their names below `manifests`, None for what is missing."""
    here = folder / "manifests"
    names = {path.relative_to(top) for top in (here, _MANIFESTS) for path in top.rglob("*")}
    return {
        str(name): _content(here / name)
        for name in names
        if "__pycache__" not in name.parts and _content(here / name) != _content(_MANIFESTS / name)
    }


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def events(folder: Path) -> list[str]:
    """The events of the run, as its evidence has them."""
    (path,) = folder.glob(f"evidence/*/{RUN_ID}/events.jsonl")
    return path.read_text().splitlines()


def differences(found: Outcome, due: Outcome) -> str:
    """What two runs came to differently."""
    words = [f"{key} {found[key]}, not {due[key]}" for key in due if found[key] != due[key]]
    return "; ".join(words)


def indeterminate(folder: Path) -> list[str]:
    """The items of which nobody knows whether they were done."""
    items = outcome(folder)["items"] or {}
    return [name for name, (status, _) in items.items() if status == "indeterminate"]


def begun_anew(reference: Reference, forge: Forge) -> Ended:
    """The run from its beginning, where nothing of it was kept."""
    return reference.concluded(forge, forge(*reference.command()))


def recovered(reference: Reference, forge: Forge) -> Ended:
    """The run gone on with until nothing of it is indeterminate; it may pause once for each."""
    ended = forge("resume", RUN_ID, "--workspace", ".", "--format", "jsonl")
    if ended.code == _PAUSED and (items := indeterminate(forge.folder)):
        for item in items:
            reference.put_back(forge.folder, item)
        words = [word for item in items for word in ("--rerun", item)]
        ended = forge("resume", RUN_ID, "--workspace", ".", *words, "--format", "jsonl")
    return reference.concluded(forge, ended)
