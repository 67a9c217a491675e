"""Which files a path stands for."""

import os
import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from forge_cli.manifest.reading.discovery import beside, discover


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def write(*names: str, text: str = "forge: 1\n") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def ignore(*patterns: str) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    Path(".gitignore").write_text("\n".join(patterns))


def test_a_file_is_taken_whatever_its_name() -> None:
    write("notes.txt")
    assert discover(["notes.txt", "missing"]).files == ["missing", "notes.txt"]


def test_a_folder_is_searched_for_manifests_by_name() -> None:
    write("a.forge.yaml", "b.forge.yml", "c.yaml", "d/e/f.forge.yaml", "d/forge.yaml")
    assert discover(["."]).files == ["a.forge.yaml", "b.forge.yml", "d/e/f.forge.yaml"]


def test_below_manifests_every_file_with_a_top_level_forge_key_is_one() -> None:
    write("manifests/a.yaml", "x/manifests/labs/b.yml")
    write("manifests/quoted.yaml", text='# c\n"forge" : 1\n')
    write("manifests/flow.yaml", text="{forge: 1}\n")
    write("manifests/broken.yaml", text="forge: 1\na: [\n")
    write("manifests/other.yaml", text="other: 1\nnested:\n  forge: 1\n")
    write("manifests/notes.txt")
    expected = ["broken", "flow", "quoted"]
    assert discover(["."]).files == [
        "manifests/a.yaml",
        *(f"manifests/{name}.yaml" for name in expected),
        "x/manifests/labs/b.yml",
    ]


def test_a_folder_named_manifests_is_one_also_as_the_path() -> None:
    write("manifests/a.yaml")
    assert discover(["manifests/"]).files == ["manifests/a.yaml"]


def test_what_git_ignores_is_left_out() -> None:
    write("a.forge.yaml", "build/b.forge.yaml", "c/d.tmp.forge.yaml", "c/e.forge.yaml")
    ignore("build/", "*.tmp.forge.yaml")
    assert discover(["."]).files == ["a.forge.yaml", "c/e.forge.yaml"]


def test_ignored_is_seen_from_a_folder_below() -> None:
    write("c/a.forge.yaml", "c/build/b.forge.yaml")
    ignore("build/")
    assert discover(["c"]).files == ["c/a.forge.yaml"]


def test_a_named_file_or_folder_is_taken_although_git_ignores_it() -> None:
    write("build/b.forge.yaml", "c.forge.yaml")
    ignore("build/", "c.forge.yaml")
    assert discover(["build", "c.forge.yaml"]).files == ["build/b.forge.yaml", "c.forge.yaml"]


def test_a_tracked_file_is_taken_although_a_pattern_ignores_it() -> None:
    write("a.forge.yaml")
    ignore("*.forge.yaml")
    subprocess.run(["git", "add", "-f", "a.forge.yaml"], check=True)
    assert discover(["."]).files == ["a.forge.yaml"]


def test_without_git_only_well_known_folders_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.forge.yaml", ".forge/b.forge.yaml", "node_modules/c.forge.yaml", "build/d.forge.yaml")
    ignore("build/")
    monkeypatch.setenv("PATH", "")
    assert discover(["."]).files == ["a.forge.yaml", "build/d.forge.yaml"]


def test_29_links_are_not_followed_in_a_walk(tmp_path: Path) -> None:
    write("inside/a.forge.yaml", "outside/b.forge.yaml")
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "inside" / "c.forge.yaml").symlink_to(tmp_path / "outside" / "b.forge.yaml")
    assert discover(["inside"]).files == ["inside/a.forge.yaml"]


def test_a_file_is_taken_once_by_its_plainest_name_in_any_order(tmp_path: Path) -> None:
    write("d/a.forge.yaml")
    (tmp_path / "link").symlink_to("d/a.forge.yaml")
    paths = ["d/../d/a.forge.yaml", "d", "link", str(tmp_path / "d")]
    assert {tuple(discover(order).files) for order in permutations(paths)} == {("d/a.forge.yaml",)}


def test_standard_input_is_a_file_like_others() -> None:
    write("a.forge.yaml")
    assert discover(["-", "."]).files == ["-", "a.forge.yaml"]


def test_26_names_may_hold_any_byte(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\n.forge.yaml")
    write(name)
    assert discover(["."]).files == [name]


def test_a_pipe_in_a_folder_is_no_manifest() -> None:
    write("manifests/a.yaml")
    os.mkfifo("manifests/pipe.yaml")
    os.mkfifo("manifests/pipe.forge.yaml")
    assert discover(["."]).files == ["manifests/a.yaml"]


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fic.forge.yaml", "; did you mean 'fix.forge.yaml'?"),
        ("fix.yaml", "; did you mean 'fix.forge.yaml'?"),
        ("fix", "; did you mean 'fix.forge.yaml'?"),
        ("other.forge.yaml", "; there are: 'deploy.forge.yaml', 'fix.forge.yaml'"),
        ("nowhere/x.yaml", ", nor does its folder 'nowhere'"),
    ],
)
def test_a_missing_file_is_told_with_what_is_there(
    name: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for each in ("fix.forge.yaml", "deploy.forge.yaml"):
        (tmp_path / each).touch()
    assert beside(name) == end


def test_only_the_first_of_many_manifests_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(7):
        (tmp_path / f"plan{number}{number}{number}{number}.forge.yaml").touch()
    assert beside("x.forge.yaml").endswith("'plan4444.forge.yaml' and 2 more")


def test_of_named_files_those_that_a_folder_is_searched_for_can_be_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifests" / "team").mkdir(parents=True)
    (tmp_path / "manifests" / "team" / "a.yaml").write_text("forge: 1\n")
    (tmp_path / "manifests" / "deployment.yaml").write_text("kind: Deployment\n")
    (tmp_path / "values.yaml").write_text("forge: 1\n")
    (tmp_path / "b.forge.yml").write_text("")
    named = ["manifests/team/a.yaml", "manifests/deployment.yaml", "values.yaml", "b.forge.yml"]
    assert discover(named, only_manifests=True).files == ["b.forge.yml", "manifests/team/a.yaml"]


def test_a_named_manifest_that_is_not_there_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert discover(["gone.forge.yaml"], only_manifests=True).files == ["gone.forge.yaml"]
