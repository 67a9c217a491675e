"""Types the commands that a page shows in its console blocks, and puts what they print below them.

Run as a program it does so for each of the pages. One that would differ in nothing that lasts (ids,
times and digests do not) stays as it is.
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
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)$", re.MULTILINE)
PAGES = tuple(
    page
    for page in (README, *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("manifests/**/*.md")))
    if BLOCK.search(page.read_text("utf-8"))
)
"""Every page that shows what is typed."""
CHANGING = (
    (r"\b\d{8}-\d{6}-[0-9a-f]{4}\b", "RUN"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"(?<=plan )[0-9a-f]{8}\b", "DIGEST"),
    (r"\b\d{4}-\d{2}-\d{2}\b", "DATE"),
    (r"\b\d{2}:\d{2}:\d{2} UTC\b", "CLOCK"),
    (r"(?<!\d)\d+:\d{2}(?![\d:])", "TIME"),
    (r"draft-again", "draft"),
    (r"bubblewrap \d+(\.\d+)+|landlock \d+|off, not enforced.*|nothing \(sandbox off\)", "HELD"),
    (r"sandbox \(HELD\)", "HELD"),
    (r"(?<=HELD); .*", ""),
    (r"[ ]+", " "),
)
"""What differs from run to run and from machine to machine, and what stands for it.

Which of two drafts lands first is for the processes to say; the other one is the conflict.
"""


def retyped(page: str, folder: Path) -> str:
    """The page with the output that its commands, typed one after the other in `folder`, print."""

    def fresh(block: re.Match[str]) -> str:
        commands = COMMAND.findall(block.group())
        return "".join(f"$ {command}\n{_output(command, folder)}" for command in commands)

    return BLOCK.sub(fresh, page)


def lasting(page: str) -> str:
    """The page without what differs from run to run."""
    for pattern, word in CHANGING:
        page = re.sub(pattern, word, page)
    return page


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
    if "FORGE_SANDBOX" in os.environ:
        env["FORGE_SANDBOX"] = os.environ["FORGE_SANDBOX"]
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


def typed(path: Path) -> str:
    """The page at `path` with its commands typed in an empty folder, or in what looks like a clone.

    The README's tour begins in an empty one.
    """
    with tempfile.TemporaryDirectory() as folder:
        if path != README:
            furnish(Path(folder))
        return retyped(path.read_text("utf-8"), Path(folder))


def freshened(path: Path) -> str:
    """What the page at `path` should say: its own text, unless something else is printed now."""
    page, fresh = path.read_text("utf-8"), typed(path)
    return page if lasting(fresh) == lasting(page) else fresh


def main() -> None:
    """Write the pages anew."""
    for path in PAGES:
        path.write_text(freshened(path), "utf-8")


if __name__ == "__main__":
    main()
