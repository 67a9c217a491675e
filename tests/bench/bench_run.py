"""Runs of no-op function items, durable and with evidence: processor time for each item."""

import sys
import tempfile
from pathlib import Path

from tests.bench.measure import FORGE, measure

MANIFEST = """\
forge: 1
roles:
  worker:
    capabilities: []
    handler: {{kind: function, call: "handlers.py:nothing"}}
work_items:
  many:
    role: worker
    for_each: [{elements}]
    outputs: [result]
"""


def cost_of(count: int) -> float:
    """Microseconds of processor time for each of so many items, of forge and its workers."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "handlers.py").write_text(
            "def nothing(turn):\n    return {'result': 0}\n", "utf-8"
        )
        text = MANIFEST.format(elements=", ".join(map(str, range(count))))
        (Path(folder) / "many.forge.yaml").write_text(text, "utf-8")
        argv = [*FORGE, "run", "many.forge.yaml", "--workspace", "."]
        return measure(argv, folder).cpu / count * 1_000_000


def main() -> None:
    """Print the cost at 10,000 and, with --large, at 100,000 items."""
    small = cost_of(10_000)
    print(f"10000 items   {small:7.0f} microseconds of CPU each (at most 300, aim 150)")
    if "--large" in sys.argv:
        large = cost_of(100_000)
        print(f"100000 items  {large:7.0f} each, {large / small:.2f} times that (at most 1.2)")


if __name__ == "__main__":
    main()
