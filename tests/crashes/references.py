"""The reference runs: shipped manifests that need no key, and what a run of each comes to."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.field_reports.processes import ROOT, Ended, Forge

RUN_ID = "r"
_TOOK = re.compile(r"\b[0-9]+\.[0-9]+s\b")
"""How long something took, as test runners say it in what an item gives."""

_MANIFESTS = ROOT / "manifests"


@dataclass(frozen=True, slots=True)
class Reference:
    """A manifest below `manifests/`; `writers` are its items that change files once, and where.

    What such an item did to files before a crash a person puts back before it is run again.
    """

    manifest: str
    writers: Mapping[str, str] = field(default_factory=dict)

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

    def put_back(self, folder: Path, item: str) -> None:
        """The files that an item changes, as they were before the run."""
        if changed := self.writers.get(item):
            shutil.rmtree(folder / "manifests" / changed)
            shutil.copytree(_MANIFESTS / changed, folder / "manifests" / changed)


REFERENCES = (
    *(Reference(f"labs/{path.name}") for path in sorted((_MANIFESTS / "labs").glob("*.yaml"))),
    Reference("office-research.yaml"),
    Reference("music-creation.yaml"),
    Reference("authorization-review.yaml", {"patch": "authorization-review/security"}),
    Reference("software-delivery.yaml", {"build": "software-delivery/shop"}),
    Reference("containment/approval.yaml"),
    Reference("containment/escalation.yaml"),
)

Outcome = dict[str, Any]


def outcome(folder: Path) -> Outcome:
    """What a run came to: status, state and outputs, as its evidence tells; None without any."""
    path = next(folder.glob(f"evidence/*/{RUN_ID}/run.json"), None)
    if path is None:
        return dict.fromkeys(("status", "outputs", "items", "state"))
    record = json.loads(_TOOK.sub("", path.read_text()))
    return {
        "status": record["run"]["status"],
        "outputs": record["run"].get("outputs"),
        "items": {
            name: (row["status"], row.get("output")) for name, row in record["items"].items()
        },
        # What runs side by side ends in any order.
        "state": sorted(row["item"] for row in record["state_versions"]),
    }


def events(folder: Path) -> list[str]:
    """The events of the run, as its evidence has them."""
    (path,) = folder.glob(f"evidence/*/{RUN_ID}/events.jsonl")
    return path.read_text().splitlines()


def differences(found: Outcome, due: Outcome) -> str:
    """What two runs came to differently."""
    words = [f"{key} {found[key]}, not {due[key]}" for key in due if found[key] != due[key]]
    return "; ".join(words)


def undecided(folder: Path) -> list[str]:
    """The items of which nobody knows whether they were done."""
    items = outcome(folder)["items"] or {}
    return [name for name, (status, _) in items.items() if status == "indeterminate"]


def recovered(reference: Reference, forge: Forge) -> Ended:
    """The run gone on with until nothing of it is undecided; it may pause for that, once."""
    ended = forge("resume", RUN_ID, "--workspace", ".", "--format", "jsonl")
    if ended.code == 4 and (items := undecided(forge.folder)):
        for item in items:
            reference.put_back(forge.folder, item)
        words = [word for item in items for word in ("--rerun", item)]
        ended = forge("resume", RUN_ID, "--workspace", ".", *words, "--format", "jsonl")
    return ended
