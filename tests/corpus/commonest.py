"""What is said of the commonest faults, kept beside them: read as somebody who never saw forge.

Run as a program, it writes what is said now; review the difference.
"""

from pathlib import Path

from forge_cli.app.validate import check_file
from forge_cli.cli.formats import Checked
from forge_cli.cli.formats.full import write
from forge_cli.cli.terminal import Terminal

FOLDER = Path(__file__).parent / "data" / "commonest"
FAULTY = sorted(FOLDER.glob("*.forge.yaml"))


def kept(path: Path) -> Path:
    """The file of what is said of a manifest."""
    return path.with_suffix("").with_suffix(".txt")


def said(path: Path) -> str:
    """What `forge validate` prints of a manifest, in the folder that it lies in."""
    report = check_file(str(path), path.read_bytes())._replace(path=path.name)
    return "\n".join(write(Checked((report,), quiet=True), Terminal())) + "\n"


if __name__ == "__main__":
    for each in FAULTY:
        kept(each).write_text(said(each), "utf-8")
