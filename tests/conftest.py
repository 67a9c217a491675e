"""Programs and plug-ins of other people that tests try forge with."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.sandbox import VARIABLE, look

_FETCHING = ("index", "npm")
"""The marks of tests that install something first, which takes as long as the network does."""

_KEPT = Path(__file__).resolve().parents[1] / "build" / "npm"


def pytest_report_header() -> str:
    """Say what holds programs here; where nothing does, they run without."""
    works = look()
    if not works.names:
        os.environ.setdefault(VARIABLE, "off")
        return f"sandbox: none works here: {', '.join(works.faults.values())}"
    return f"sandbox: {', '.join(works.names.values())}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that install something the time for it."""
    for item in items:
        if any(map(item.get_closest_marker, _FETCHING)):
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def npm() -> Callable[..., Path]:
    """Installs packages of npm (`name@version`) and gives the folder that holds `node_modules`.

    What was installed once is kept below `build/`. The test is skipped where that cannot be done.
    """

    def install(*packages: str) -> Path:
        folder = _KEPT / "+".join(packages)
        if not folder.exists():
            _install(packages, folder)
        return folder

    return install


def _install(packages: tuple[str, ...], folder: Path) -> None:
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    options = ["--prefix", str(made), "--ignore-scripts", "--no-audit", "--no-fund"]
    said = subprocess.run(
        ["npm", "install", *options, *packages], capture_output=True, text=True, check=False
    )
    if said.returncode:
        shutil.rmtree(made)
        pytest.skip(f"npm cannot install {', '.join(packages)}: {said.stderr[-300:]}")
    try:
        made.rename(folder)
    except OSError:  # Another process of the same tests was faster.
        shutil.rmtree(made)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Installs a distribution for this test: `install("acme", "shout = acme:Shout", acme="...")`.

    Entry points are lines of the group `forge.handlers`; keywords are modules and their source.
    Returns the folder on the path, which is a new one for each distribution.
    """

    def install(name: str, *entry_points: str, version: str = "1.0", **modules: str) -> Path:
        folder = tmp_path / "installed" / f"{name}-{version}"
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        lines = "\n".join(["[forge.handlers]", *entry_points])
        (info / "entry_points.txt").write_text(lines + "\n", "utf-8")
        for module, source in modules.items():
            (folder / f"{module}.py").write_text(source, "utf-8")
        monkeypatch.syspath_prepend(folder)
        return folder

    return install
