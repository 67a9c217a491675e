"""What of a workspace scopes come to, as places that a sandbox can hold."""

from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.gateway import folders
from forge_cli.gateway.folders import opened
from forge_cli.gateway.sandbox import chart as charts
from forge_cli.gateway.sandbox.chart import ChartError, Wanted, chart, make_way

FILES = (
    ".env",
    ".forge/runs/ledger.db",
    ".git/hooks/pre-commit",
    "README",
    "evidence/run.json",
    "manifests/m.yaml",
    "src/.env",
    "src/a.py",
    "src/deep/b.py",
    "tests/t.py",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def places(workspace: Path, **wanted: tuple[str, ...]) -> dict[str, str]:
    return {spot.path: spot.mode for spot in chart(workspace, Wanted(**wanted))}


def test_without_scopes_nothing_is_reached(workspace: Path) -> None:
    assert places(workspace) == {"": "hide"}


def test_a_whole_folder_is_one_place_and_dotted_names_are_taken_out(workspace: Path) -> None:
    found = places(workspace, reads=("files:src/**",))
    assert found == {"": "hide", "src": "read", "src/.env": "hide"}


def test_a_dotted_name_that_is_in_the_scope_is_not_taken_out(workspace: Path) -> None:
    found = places(workspace, reads=("files:src/**", "files:src/.env"))
    assert found == {"": "hide", "src": "read"}


def test_files_of_a_pattern_are_places_each(workspace: Path) -> None:
    found = places(workspace, reads=("files:*/*.py",))
    assert found == {"": "hide", "src/a.py": "read", "tests/t.py": "read"}


def test_a_folder_in_which_files_may_be_made_is_writable_and_its_others_are_not(
    workspace: Path,
) -> None:
    found = places(workspace, reads=("files:src/**",), writes=("files:src/*.txt",))
    assert found["src"] == "write"
    assert (found["src/a.py"], found["src/deep"], found["src/.env"]) == ("read", "read", "hide")


def test_forges_own_files_are_never_written_and_its_ledger_never_read(workspace: Path) -> None:
    everything = ("files:**", "files:.forge/**")
    own = (".forge", "evidence", "manifests/m.yaml")
    found = places(workspace, reads=everything, writes=everything, own=own)
    assert found[".forge"] == "hide"
    assert found["evidence"] == "read"
    assert found["manifests/m.yaml"] == "read"


def test_folders_above_what_may_not_be_written_cannot_be_renamed(workspace: Path) -> None:
    found = places(workspace, reads=("files:**",), writes=("files:**",), own=("manifests/m.yaml",))
    assert found["manifests"] == "write"  # a place of its own


def test_what_a_handler_consists_of_is_read_whatever_its_scopes_say(workspace: Path) -> None:
    found = places(workspace, also=("src/a.py", ".git"))
    assert found == {"": "hide", "src/a.py": "read", ".git": "read"}


def test_no_link_is_a_place(workspace: Path) -> None:
    (workspace / "src" / "out").symlink_to("/etc")
    assert places(workspace, reads=("files:src/*/*",)) == {"": "hide", "src/deep/b.py": "read"}


def test_too_many_places_are_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MOST_SPOTS", 2)
    with pytest.raises(ChartError, match="more than 2 places"):
        places(workspace, reads=("files:*/*.py",))


def test_too_many_files_are_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MOST_ENTRIES", 3)
    with pytest.raises(ChartError, match="more than 3 files"):
        places(workspace, reads=("files:**",))


def test_a_folder_that_cannot_be_looked_at_is_told(
    workspace: Path, powerless: Callable[[Callable[[], str]], str]
) -> None:
    def told() -> str:
        with pytest.raises(ChartError) as raised:
            places(workspace, reads=("files:src/**",))
        return str(raised.value)

    (workspace / "src").chmod(0)
    assert powerless(told) == "what it may reach cannot be looked at: 'src': Permission denied"


def test_a_folder_that_goes_while_it_is_looked_at_has_nothing_in_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(home: Path, path: str) -> int:
        if path == "src":
            (workspace / "src").rename(workspace.parent / "gone")
        return opened(home, path)

    monkeypatch.setattr(folders, "opened", moved)
    assert places(workspace, reads=("files:src/**",)) == {"": "hide", "src": "read"}


def test_where_files_may_be_made_at_any_depth_every_folder_is_writable(workspace: Path) -> None:
    found = places(workspace, writes=("files:src/**/*.txt",))
    assert (found["src"], found["src/a.py"], found["src/deep/b.py"]) == ("write", "hide", "hide")
    assert "src/deep" not in found or found["src/deep"] == "write"


def test_the_folders_that_writes_name_are_made(workspace: Path) -> None:
    make_way(workspace, ("files:out/html/*.css", "files:lib/*/x", "files:README/x/y"))
    assert (workspace / "out" / "html").is_dir()
    assert (workspace / "lib").is_dir()
    assert (workspace / "README").is_file()
