"""Start-up of the installed program: `--version`, `validate`, `--help`, in times of bare Python."""

import tempfile
from pathlib import Path

from tests.bench.measure import bare, installed, report, side_by_side

HELLO = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
TIMES = 21


def main() -> None:
    """Print each command's wall and processor time as ratios, beside what is promised."""
    forge = installed()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hello.forge.yaml"
        path.write_text(HELLO, "utf-8")
        python, version, validate, help_ = side_by_side(
            [bare(), [forge, "--version"], [forge, "validate", str(path)], [forge, "--help"]], TIMES
        )
    report("bare python -c pass", f"{python.wall * 1000:.1f} ms", "the measure of what follows")
    for name, cost, promised in (
        ("forge --version", version, "at most 1.5 times"),
        ("forge validate, one small file", validate, "at most 6 times"),
        ("forge --help", help_, ""),
    ):
        figure = f"{cost.wall / python.wall:.2f} wall, {cost.cpu / python.cpu:.2f} CPU"
        report(name, figure, promised)


if __name__ == "__main__":
    main()
