"""The examples of manifests and handlers in the pages do what the pages say."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main
from forge_cli.app.recordings import read
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.testing import a_turn

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_manifest_of_the_handlers_page_runs_with_the_handlers_shown_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("team.forge.yaml").write_text(blocks("handlers.md", "yaml")[0], "utf-8")
    for text in blocks("handlers.md", "python"):
        file = Path(text.partition("\n")[0].removeprefix("# "))
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert main(["run", "-q"]) == 0
    assert capfd.readouterr().out.startswith("COMPLETE  2 of 2 items accepted")


def write_example(name: str) -> None:
    """The manifest and the handlers of that name which the README shows."""
    for language, file in (("yaml", f"{name}.forge.yaml"), ("python", f"{name}.py")):
        texts = blocks("../README.md", language)
        (text,) = (each for each in texts if each.startswith(f"# {file}"))
        Path(file).write_text(text, "utf-8")


def test_the_crew_of_the_readme_asks_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_example("crew")
    assert main(["run", "-q"]) == 0
    assert "2 of 2 items accepted" in capfd.readouterr().out
    (record,) = Path("evidence").rglob("run.json")
    items = json.loads(record.read_text("utf-8"))["items"]
    assert items["survey"]["output"] == {"result": ["succeeded", "succeeded"]}
    made = [items[f"survey.{name}"]["output"] for name in ("child-1-1", "step-1-2-1")]
    assert made == [{"result": "done: Read src"}, {"result": "done: Read docs"}]


def test_the_patterns_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_example("team")
    assert main(["run", "-q"]) == 0
    assert "4 of 4 items accepted" in capfd.readouterr().out
    (record,) = Path("evidence").rglob("run.json")
    items = json.loads(record.read_text("utf-8"))["items"]
    assert [entry["author"] for entry in items["agree"]["output"]["board"]] == ["api", "data"]
    assert items["incident.lead"]["output"] == {"finding": ["the disk is full"]}
    assert items["choose"]["output"]["resolution"]["winner"] == "flag"


def test_a_designer_of_the_handlers_page_talks_and_settles(tmp_path: Path) -> None:
    (text,) = (each for each in blocks("handlers.md", "python") if each.startswith("# design.py"))
    space: dict[str, Any] = {}
    exec(compile(text, "design.py", "exec"), space)
    first = space["storage"](a_turn(group={"round": 1}))
    assert (first.status, first.posts) == ("yields", ({"text": "SQLite?", "tags": ["data"]},))
    message = AgentMessage("m", "c", "r#g.b", "r#g.a", "result", {"text": "yes"})
    last = space["storage"](a_turn(group={"round": 2}, inbox=(message,)))
    assert last == {"choice": "SQLite", "heard": ["r#g.b: yes"]}


def test_the_first_manifest_of_the_reference_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hello.forge.yaml").write_text(blocks("manifest.md", "yaml")[0], "utf-8")
    assert main(["validate"]) == 0
    assert capfd.readouterr().err == ""


def test_the_agent_of_the_handlers_page_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = (each for each in blocks("handlers.md", "yaml") if "kind: agent" in each)
    Path("review.forge.yaml").write_text(text, "utf-8")
    assert main(["validate"]) == 0
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    assert main(["plan"]) == 0
    assert "refused" not in capfd.readouterr().out


def test_the_recorded_results_of_the_page_are_read(tmp_path: Path) -> None:
    (text,) = (each for each in blocks("running.md", "json") if "format_version" in each)
    (tmp_path / "results.json").write_text(text, "utf-8")
    assert len(read(tmp_path / "results.json").results) == 2
