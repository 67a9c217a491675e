"""The action for GitHub: as GitHub wants it, and its steps run by Bash as a runner does."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SOUND = "forge: 1\nwork_items: {a: {run: [echo], capabilities: []}}\n"
BROKEN = "forge: 1\nwork_items: {a: {run: [echo], capabilites: []}}\n"
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")

Ended = subprocess.CompletedProcess[str]
Act = Callable[..., Ended]


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return loaded


def step(number: int, inputs: Mapping[str, str], folder: Path, runner: Mapping[str, str]) -> Ended:
    """One step of the action, with the variables that a runner sets."""
    given = {name: each["default"] for name, each in action()["inputs"].items()} | dict(inputs)
    found = action()["runs"]["steps"][number]
    own = {name: INPUT.sub(lambda m: given[m[1]], text) for name, text in found["env"].items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true", **runner, **own},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def runner(fetched: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a runner on which the first step has installed forge.

    The test is skipped where what forge depends on cannot be had from the package index.
    """
    temporary = tmp_path_factory.mktemp("runner")
    variables = {"RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(fetched)}
    plugins = str(ROOT / "tests" / "contracts" / "sample_plugin")
    said = step(0, {"plugins": f"\n{plugins}\n"}, temporary, variables)
    if said.returncode:
        pytest.skip(f"forge cannot be installed: {said.stderr[-500:]}")
    return variables


@pytest.fixture
def act(runner: dict[str, str], tmp_path: Path) -> Act:
    """Runs the second step with these inputs in a folder with manifests."""
    (tmp_path / "sound.forge.yaml").write_text(SOUND, "utf-8")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "broken.forge.yaml").write_text(BROKEN, "utf-8")
    output = {"GITHUB_OUTPUT": str(tmp_path / "output")}
    return lambda **inputs: step(1, inputs, tmp_path, {**runner, **output})


def test_github_takes_the_action() -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    said = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout


def test_inputs_reach_a_shell_as_variables_only() -> None:
    steps = action()["runs"]["steps"]
    assert [each["name"] for each in steps if "${{" in each["run"]] == []


@pytest.mark.index
def test_all_manifests_are_checked_if_none_is_named(act: Act) -> None:
    said = act()
    assert said.returncode == 1
    assert "a b/broken.forge.yaml:2:" in said.stdout
    assert "::error file=a b/broken.forge.yaml,line=2" in said.stdout


@pytest.mark.index
@pytest.mark.parametrize(
    ("paths", "code"), [("sound.forge.yaml", 0), ("sound.forge.yaml\n\na b\n", 1), ("gone", 2)]
)
def test_paths_stand_one_on_each_line(act: Act, paths: str, code: int) -> None:
    assert act(paths=paths).returncode == code


@pytest.mark.index
def test_a_report_is_written_and_its_path_is_told_although_there_are_findings(
    act: Act, tmp_path: Path
) -> None:
    said = act(report="sarif=forge.sarif\njunit=forge.xml\n")
    assert said.returncode == 1
    assert (tmp_path / "output").read_text() == "sarif=forge.sarif\n"
    assert json.loads((tmp_path / "forge.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert (tmp_path / "forge.xml").exists()


@pytest.mark.index
def test_further_options_are_words(act: Act) -> None:
    said = act(paths="sound.forge.yaml", args="--strict  --max-size 9", format="concise")
    assert said.returncode == 2
    assert "9 bytes" in said.stderr


@pytest.mark.index
@pytest.mark.parametrize("name", ["paths", "report", "args", "format"])
def test_no_input_is_taken_for_a_command(act: Act, tmp_path: Path, name: str) -> None:
    said = act(**{name: "$(touch pwned); `touch pwned` *"})
    assert said.returncode == 2
    assert not (tmp_path / "pwned").exists()


@pytest.mark.index
def test_kinds_of_plug_ins_are_known_where_these_are_installed(act: Act, tmp_path: Path) -> None:
    shouting = """\
forge: 1
roles: {crier: {capabilities: [], handler: {kind: shout}}}
work_items: {cry: {role: crier}}
"""
    (tmp_path / "plugged.forge.yaml").write_text(shouting, "utf-8")
    said = act(paths="plugged.forge.yaml")
    assert said.returncode == 0, said.stdout
