"""`forge init`."""

import json
from pathlib import Path

import pytest

from forge_cli.app.init import init
from forge_cli.cli.init import init_lines
from forge_cli.cli.terminal import Terminal
from forge_cli.errors import ForgeError

HELLO = """\
# yaml-language-server: $schema=.forge/manifest.schema.json
forge: 1
inputs: {who: {default: world}}
work_items:
  greet:
    run: [echo, "hello ${inputs.who}"]
    capabilities: []                            # a grant lists what is allowed; [] is nothing
  check:
    script: test "$INPUT_GREETING" = "hello world"
    with: {greeting: "${items.greet.outputs.result}"}    # a reference is also an order
    capabilities: []
"""


def test_it_writes_the_first_manifest_and_the_schema(tmp_path: Path) -> None:
    init(tmp_path)
    assert (tmp_path / "hello.forge.yaml").read_text() == HELLO
    schema = json.loads((tmp_path / ".forge" / "manifest.schema.json").read_text())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_what_forge_keeps_for_itself_is_ignored_by_git(tmp_path: Path) -> None:
    init(tmp_path)
    assert (tmp_path / ".forge" / ".gitignore").read_text() == "*\n"


def test_it_says_what_it_wrote_and_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert init_lines(init(Path()), None, Path(), Terminal()) == [
        "wrote  hello.forge.yaml             11 lines; needs no key, no network, no server",
        "wrote  .forge/manifest.schema.json  completion and checks in your editor",
        "next   forge run                    there is one manifest here, so it needs no argument",
        "       forge init --ci github       a job that validates every change",
    ]


def test_another_folder_is_made_and_named_in_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = init_lines(init(Path("a b/c")), None, Path("a b/c"), Terminal())
    assert lines[2].startswith("next   forge run 'a b/c/hello.forge.yaml'")
    assert (tmp_path / "a b" / "c" / "hello.forge.yaml").read_text() == HELLO


@pytest.mark.parametrize("name", ["other.forge.yaml", "hello.forge.yaml", "manifests/m.yaml"])
def test_where_a_manifest_is_no_other_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("forge: 1\n")
    assert init_lines(init(Path()), None, Path(), Terminal()) == [
        "wrote  .forge/manifest.schema.json  completion and checks in your editor",
        "next   forge validate               there are manifests here, so none was written",
        "       forge init --ci github       a job that validates every change",
    ]
    assert Path(name).read_text() == "forge: 1\n"
    assert {*Path().rglob("*.yaml")} == {Path(name)}


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "hello.forge.yaml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ForgeError, match="is there already"):
        init(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_schema_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".forge").mkdir()
    (tmp_path / ".forge" / "manifest.schema.json").write_text("{}")
    made = init(tmp_path)
    assert not made.schema_written
    assert init_lines(made, None, tmp_path, Terminal())[1].startswith("kept   ")
    assert (tmp_path / ".forge" / "manifest.schema.json").read_text() == "{}"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ForgeError, match=r"cannot be written: (Not a directory|File exists)"):
        init(tmp_path / "file")
