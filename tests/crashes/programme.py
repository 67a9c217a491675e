"""Kills every reference run at every commit of its ledger, goes on with it, and compares.

python tests/crashes/programme.py                         every run, every point
python tests/crashes/programme.py labs/05                 the runs whose manifest begins so
python tests/crashes/programme.py labs/05 before:3        one point again
"""

import sys
import tempfile
from pathlib import Path

from tests.crashes.killing import Point, fault, undisturbed
from tests.crashes.references import REFERENCES, Reference


def main(words: list[str]) -> int:
    """Say what was tried and every fault; returns how many there were, at most 1."""
    begin = words[0] if words else ""
    asked = tuple(Point.parse(word) for word in words[1:])
    faults = [
        found
        for reference in REFERENCES
        if reference.manifest.startswith(begin)
        for found in _tried(reference, asked)
    ]
    print("\n".join(faults) or "nothing was found")
    return int(bool(faults))


def _tried(reference: Reference, asked: tuple[Point, ...]) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        due = undisturbed(reference, Path(name, "undisturbed"))
        points = asked or due.points
        print(f"{reference.manifest:40} {len(points)} points", flush=True)
        found = {p: fault(reference, p, due, Path(name, str(p))) for p in points}
    return [f"{reference.manifest} {point}: {what}" for point, what in found.items() if what]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
