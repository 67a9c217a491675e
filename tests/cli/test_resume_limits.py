"""`forge resume` of a run that was begun under limits of the environment."""

import re
from pathlib import Path

import pytest

from forge_cli.__main__ import main

MANIFEST = """forge: 1
settings: {dynamic_decomposition: true}
roles:
  worker: {capabilities: [], handler: {kind: command, argv: [echo, '{"result": 1}']}}
work_items:
  wait: {role: worker, approval: required}
  split: {role: worker, complexity: high, depends_on: [wait]}
  talk:
    pattern: joint
    depends_on: [wait]
    sub_tasks:
      a: {role: worker}
      b: {role: worker}
"""


@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FORGE_MAX_CONCURRENCY", "1"),
        ("FORGE_MAX_JOINT_AGENTS", "2"),
        ("FORGE_BROADCAST_BUFFER_SIZE", "7"),
        ("FORGE_HIERARCHICAL_MAX_DEPTH", "1"),
        ("FORGE_DYNAMIC_DECOMPOSITION_ENABLED", "false"),
    ],
)
def test_a_run_goes_on_under_the_limits_that_it_was_given_whether_or_not_they_still_hold(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    stays: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, value)
    (tmp_path / "m.yaml").write_text(MANIFEST, "utf-8")
    assert main(["run", "m.yaml", "-q"]) == 4
    found = re.search(r"--approve (\S+)", capsys.readouterr().out)
    assert found is not None
    if not stays:
        monkeypatch.delenv(variable)
    assert main(["resume", "--approve", found[1], "-q"]) == 0
