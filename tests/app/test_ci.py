"""Jobs for the CI of others: where they go, and what they install."""

from pathlib import Path

import pytest

from forge_cli.app.ci import job, requirement
from forge_cli.errors import ForgeError


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, which is the working folder."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("service", "file"), [("github", ".github/workflows/forge.yml"), ("gitlab", ".gitlab-ci.yml")]
)
def test_a_job_goes_where_its_service_looks_for_it(service: str, file: str) -> None:
    made = job(service, Path("deep/down"))
    assert made.written
    assert made.path == Path(file)
    assert Path(file).read_text("utf-8") == made.text


def test_the_repository_above_the_working_folder_gets_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "inner").mkdir()
    monkeypatch.chdir(repository / "inner")
    assert job("github", Path()).path == Path("../.github/workflows/forge.yml")
    assert (repository / ".github" / "workflows" / "forge.yml").exists()


def test_a_workflow_that_is_there_stays_as_it_is() -> None:
    job("github", Path())
    Path(".github/workflows/forge.yml").write_text("mine")
    made = job("github", Path())
    assert (made.written, made.use) == (False, "compare it with the lines below")
    assert Path(".github/workflows/forge.yml").read_text() == "mine"


def test_jobs_of_gitlab_that_are_there_stay_as_they_are() -> None:
    Path(".gitlab-ci.yml").write_text("mine")
    made = job("gitlab", Path())
    assert not made.written
    assert "forge validate" in made.text
    assert Path(".gitlab-ci.yml").read_text() == "mine"


def test_a_link_that_leads_nowhere_is_not_written_through() -> None:
    Path(".gitlab-ci.yml").symlink_to("elsewhere")
    assert not job("gitlab", Path()).written
    assert not Path("elsewhere").exists()


def test_a_place_that_cannot_be_written_is_named() -> None:
    Path(".github").touch()
    with pytest.raises(
        ForgeError, match=r"'\.github.*' cannot be written: (Not a dir|File exists)"
    ):
        job("github", Path())


@pytest.mark.parametrize(
    ("origin", "pinned"),
    [
        (
            {
                "url": "https://git.example.org/forge.git",
                "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "3fa9"},
            },
            "git+https://git.example.org/forge.git@3fa9",
        ),
        (
            {
                "url": "https://example.org/forge_cli-1.0-py3-none-any.whl",
                "archive_info": {"hashes": {"sha256": "ab12"}},
            },
            "https://example.org/forge_cli-1.0-py3-none-any.whl#sha256=ab12",
        ),
        ({"url": "file:///home/me/forge", "dir_info": {"editable": True}}, ""),
        ({}, ""),
    ],
)
def test_what_is_installed_is_this_very_forge_where_others_can_get_it(
    origin: dict[str, object], pinned: str
) -> None:
    assert requirement(origin) == pinned
