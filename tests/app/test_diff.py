"""Two manifests with all that they name, from files and from a commit."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.diff import against, between
from forge_cli.manifest.findings import Place

ROLES = """\
roles:
  reviewer:
    capabilities: [repository-read]
    handler: {kind: function, call: "handlers.py:review"}
schemas:
  verdict@1: verdict.json
"""
MANIFEST = """\
forge: 1
include: [../team/roles.yaml]
work_items:
  review: {role: reviewer, completion: "schema:verdict@1"}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose commit `v1` has a manifest that includes the roles of a team."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for folder in ("shop", "team"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shop/shop.forge.yaml").write_text(MANIFEST)
    (tmp_path / "team/roles.yaml").write_text(ROLES)
    (tmp_path / "team/handlers.py").write_text("def review(turn): ...\n")
    (tmp_path / "team/verdict.json").write_text('{"required": ["result"]}')
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["tag", "v1"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


Edit = Callable[[str, str, str], None]


@pytest.fixture
def edit(repository: Path) -> Edit:
    """Replaces a text in a file of the working tree."""

    def replace(name: str, old: str, new: str) -> None:
        text = (repository / name).read_text()
        assert old in text
        (repository / name).write_text(text.replace(old, new))

    return replace


SHOP = Path("shop/shop.forge.yaml")


def test_a_clean_working_tree_does_not_differ_from_its_commit(repository: Path) -> None:
    found = against("v1", SHOP)
    assert (found.old, found.new) == ("v1:shop/shop.forge.yaml", "shop/shop.forge.yaml")
    assert found.changes == ()


def test_a_change_of_an_included_file_is_told_in_that_file(repository: Path, edit: Edit) -> None:
    edit("team/roles.yaml", "[repository-read]", "[repository-read, network]")
    (change,) = against("v1", SHOP).changes
    assert change.sentence == "capabilities of role 'reviewer' widened"
    assert change.old is not None
    assert change.new is not None
    assert (change.old.file, change.new.file) == ("v1:team/roles.yaml", "team/roles.yaml")
    assert change.new.place == Place(3, 5, 3, 17)


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("team/verdict.json", '["result"]', "[]", "schema 'verdict' loosened"),
        ("team/handlers.py", "...", "1", "handler of role 'reviewer' changed"),
    ],
)
def test_what_an_included_file_names_is_read_from_the_commit(
    name: str, old: str, new: str, sentence: str, repository: Path, edit: Edit
) -> None:
    edit(name, old, new)
    assert [change.sentence for change in against("v1", SHOP).changes] == [sentence]


def test_an_old_manifest_that_is_not_valid_is_told_by_its_name_there(
    repository: Path, edit: Edit
) -> None:
    edit("shop/shop.forge.yaml", "role: reviewer", "role: nobody")
    nobody = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run(["git", *nobody, "commit", "-qam", "second"], check=True)
    edit("shop/shop.forge.yaml", "role: nobody", "role: reviewer")
    (report,) = against("HEAD", SHOP).faulty
    assert report.path == "HEAD:shop/shop.forge.yaml"
    assert "nobody" in report.findings[0].message


def test_the_file_s_own_name_is_no_difference(repository: Path) -> None:
    copied = repository / "shop/other.forge.yaml"
    copied.write_text(MANIFEST)
    assert between(SHOP, copied).changes == ()


def test_changes_are_told_heaviest_first_and_then_by_their_places(
    repository: Path, edit: Edit
) -> None:
    old, new = repository / "shop/old.yaml", repository / "shop/new.yaml"
    text = "forge: 1\ndeadline: 2h\nwork_items:\n  a: {run: [a], capabilities: []}\n"
    old.write_text(text + "  b: {run: [b], capabilities: []}\n")
    changed = text.replace("2h", "1h").replace("[a]", "[c]")
    new.write_text(changed + "  c: {run: [c], capabilities: []}\n")
    weights = [change.verdict.weight for change in between(old, new).changes]
    assert weights == ["breaking", "behavioural", "compatible", "compatible"]


def test_of_a_link_the_file_that_it_leads_to_is_compared(repository: Path) -> None:
    other = MANIFEST.replace("review: {", "other: {")
    (repository / "shop/link.forge.yaml").write_text(other)
    (repository / "link.forge.yaml").symlink_to("shop/shop.forge.yaml")
    assert against("v1", Path("link.forge.yaml")).old == "v1:shop/shop.forge.yaml"
