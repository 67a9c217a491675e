"""A plug-in as its author has it: its test, its page, and its wheel beside that of forge."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.testing import HandlerContract
from tests.contracts.sample_plugin.test_acme_shout import TestShout as OfItsAuthor

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).parent / "sample_plugin"
MANIFEST = """\
forge: 1
roles:
  crier: {capabilities: [], handler: {kind: shout, marks: 3}}
work_items:
  cry: {role: crier, with: {text: fire}}
"""

Install = Callable[..., Path]


class TestHere(OfItsAuthor):
    """The same contract, with the module on the path of this process."""

    @pytest.fixture(autouse=True)
    def installed(self, install: Install) -> None:
        source = (SAMPLE / "acme_shout.py").read_text("utf-8")
        install("acme-shout", "shout = acme_shout:Shout", acme_shout=source)


def test_the_contract_finds_what_is_not_as_it_says() -> None:
    class Wrong(OfItsAuthor):
        kind = "no-such-kind"

    with pytest.raises(AssertionError, match="no installed distribution offers the handler kind"):
        Wrong().test_it_is_there_and_takes_the_settings_of_the_samples()


def test_the_contract_asks_for_every_sample() -> None:
    for sample in ("works", "fails", "lasts"):
        with pytest.raises(NotImplementedError):
            getattr(HandlerContract(), sample)()


@pytest.mark.parametrize("name", ["pyproject.toml", "acme_shout.py", "test_acme_shout.py"])
def test_the_page_shows_the_files_as_they_are(name: str) -> None:
    page = (ROOT / "docs" / "handlers.md").read_text("utf-8")
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert dict(blocks)[name] == (SAMPLE / name).read_text("utf-8")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheels of forge and the sample; the rest it has from here."""
    folder = tmp_path_factory.mktemp("environment")
    sources = folder / "sources"
    compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SAMPLE, sources / "sample", ignore=compiled)
    shutil.copytree(ROOT / "forge_cli", sources / "forge" / "forge_cli", ignore=compiled)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources / "forge")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder)
    for name in ("forge", "sample"):
        call(*build, sources / name)
    call(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    wheels = folder.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps")
    call(*pip, *wheels)
    purelib = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    (Path(purelib) / "dev.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv" / "bin"


def call(*words: str | Path, cwd: Path | None = None) -> str:
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ended = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.index
def test_the_wheels_run_a_manifest_in_a_fresh_environment(
    environment: Path, tmp_path: Path
) -> None:
    (tmp_path / "cry.forge.yaml").write_text(MANIFEST, "utf-8")
    assert "acme-shout 1.0" in call(environment / "forge", "plugins", cwd=tmp_path)
    call(environment / "forge", "validate", cwd=tmp_path)
    assert "1 of 1 item accepted" in call(environment / "forge", "run", cwd=tmp_path)
    call(environment / "forge", "verify", "evidence", cwd=tmp_path)


@pytest.mark.index
def test_its_authors_test_runs_there(environment: Path, tmp_path: Path) -> None:
    shutil.copy(SAMPLE / "test_acme_shout.py", tmp_path)
    assert "5 passed" in call(environment / "python", "-m", "pytest", "-q", tmp_path, cwd=tmp_path)
