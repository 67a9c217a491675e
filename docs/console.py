"""Types the commands that a page shows in its console blocks, and puts what they print below them.

Run as a program it does so for the README, in an empty folder, and for the page of the labs, in a
folder that holds the shipped manifests.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
LABS = ROOT / "manifests" / "labs" / "README.md"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)$", re.MULTILINE)


def retyped(page: str, folder: Path) -> str:
    """The page with the output that its commands, typed one after the other in `folder`, print."""

    def fresh(block: re.Match[str]) -> str:
        commands = COMMAND.findall(block.group())
        return "".join(f"$ {command}\n{_output(command, folder)}" for command in commands)

    return BLOCK.sub(fresh, page)


def furnish(folder: Path) -> None:
    """Make a folder look like a clone of this repository, as far as manifests go."""
    shutil.copytree(ROOT / "manifests", folder / "manifests")
    (folder / ".git").mkdir()


def _output(command: str, folder: Path) -> str:
    """Both streams of a command, in order; `forge` is this one, and nobody is at the terminal."""
    program = f'forge() {{ "{sys.executable}" -m forge_cli "$@"; }}'
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    said = subprocess.run(
        ["bash", "-c", f"{program}\n{command}"],
        cwd=folder,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return said.stdout


def main() -> None:
    """Write both pages anew."""
    for page in (README, LABS):
        with tempfile.TemporaryDirectory() as folder:
            if page is LABS:
                furnish(Path(folder))
            page.write_text(retyped(page.read_text("utf-8"), Path(folder)), "utf-8")


if __name__ == "__main__":
    main()
