"""A general checker with forge's JSON Schema takes the manifests that forge takes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.init import init
from forge_cli.app.schema import schema

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(ROOT.glob("manifests/**/*.yaml"))
EXAMPLES = sorted(ROOT.glob("tests/manifest/examples_ok/*.yaml"))


Check = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Checks files with forge's schema; nothing is fetched."""
    file = tmp_path / "manifest.schema.json"
    file.write_text(schema(), "utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--no-cache", "--schemafile", str(file)]
    return lambda *paths: subprocess.run(
        [*command, *paths], capture_output=True, text=True, check=False
    )


def test_every_shipped_manifest_and_example_is_taken(check: Check) -> None:
    manifests = [path for path in SHIPPED if "\nforge: 1\n" in f"\n{path.read_text('utf-8')}"]
    assert len(manifests) > 10
    assert len(EXAMPLES) == 9
    said = check(*manifests, *EXAMPLES)
    assert said.returncode == 0, said.stdout


def test_the_first_manifest_is_taken(check: Check, tmp_path: Path) -> None:
    said = check(init(tmp_path).manifest)
    assert said.returncode == 0, said.stdout


def test_a_misspelt_key_is_refused_by_name(check: Check, tmp_path: Path) -> None:
    manifest = tmp_path / "a.forge.yaml"
    manifest.write_text("forge: 1\nwork_items: {a: {run: [x], capabilites: []}}\n", "utf-8")
    said = check(manifest)
    assert said.returncode == 1
    assert "'capabilites' was unexpected" in said.stdout
