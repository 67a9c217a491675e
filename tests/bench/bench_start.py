"""Start-up: `--version` and `validate` of one small file, in times of bare Python."""

import sys
import tempfile
from pathlib import Path

from tests.bench.measure import FORGE, best

HELLO = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"


def main() -> None:
    """Print both ratios beside their limits."""
    bare = best([sys.executable, "-c", "pass"], 20).wall
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hello.forge.yaml"
        path.write_text(HELLO, "utf-8")
        version = best([*FORGE, "--version"], 20).wall
        validate = best([*FORGE, "validate", str(path)], 20).wall
    print(f"bare Python         {bare * 1000:7.1f} ms")
    print(f"--version           {version / bare:7.2f} times (at most 1.5)")
    print(f"validate, one file  {validate / bare:7.2f} times (at most 12, aim 6)")


if __name__ == "__main__":
    main()
