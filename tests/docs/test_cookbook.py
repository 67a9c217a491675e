"""The files that the cookbook shows are as the programs that read them want them."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def files() -> list[tuple[str, str]]:
    """Each file that is shown: its name, as its first line says, and its text."""
    page = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    return re.findall(r"^```yaml\n(?=# ([^\n]+)\n)(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def shown(name: str) -> list[Any]:
    return [yaml.safe_load(text) for each, text in files() if each == name]


def read_with(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("name", "command"),
    [
        (".pre-commit-config.yaml", ("pre_commit", "validate-config")),
        (
            ".github/workflows/checks.yml",
            ("check_jsonschema", "--builtin-schema", "vendor.github-workflows"),
        ),
    ],
)
def test_a_file_is_taken_by_what_reads_it(
    name: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    texts = [text for each, text in files() if each == name]
    assert texts != []
    for text in texts:
        (tmp_path / "file.yaml").write_text(text, "utf-8")
        said = read_with(*command, str(tmp_path / "file.yaml"))
        assert said.returncode == 0, said.stdout + said.stderr


def test_the_hooks_are_those_that_this_repository_offers() -> None:
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    configs = shown(".pre-commit-config.yaml")
    used = {hook["id"] for config in configs for repo in config["repos"] for hook in repo["hooks"]}
    assert used == {hook["id"] for hook in offered}


def test_the_action_is_given_inputs_that_it_has_and_asked_for_outputs_that_it_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    (workflow,) = shown(".github/workflows/checks.yml")
    steps = workflow["jobs"]["manifests"]["steps"]
    (used,) = (step for step in steps if step.get("id") == "forge")
    assert set(used["with"]) <= set(action["inputs"])
    asked = set(re.findall(r"steps\.forge\.outputs\.(\w+)", str(steps)))
    assert asked == set(action["outputs"])


def test_every_input_of_the_action_is_named() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    page = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    assert [name for name in action["inputs"] if f"`{name}`" not in page] == []
