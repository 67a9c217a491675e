"""What a project says of forge, and how a fault in it is told."""

import pytest

from forge_cli.app.settings import Settings, settings
from forge_cli.errors import ForgeError


def read(text: str, path: str = "pyproject.toml") -> Settings | None:
    return settings(path, text.encode())


def test_every_key_has_its_value() -> None:
    text = """
[tool.forge]
manifests = ["flows", "x.yaml"]
select = ["unused-role", "deadline-past, write-conflict"]
ignore = ["unused-role"]
strict = true
"""
    assert read(text) == Settings(
        ("flows", "x.yaml"),
        ("unused-role", "deadline-past", "write-conflict"),
        ("unused-role",),
        True,
    )


def test_a_table_with_nothing_in_it_says_nothing() -> None:
    assert read("[tool.forge]\n") == Settings()


@pytest.mark.parametrize("text", ["", "[tool.black]\n", '[project]\nname = "forge-plugin"\n'])
def test_a_project_without_the_table_has_no_settings(text: str) -> None:
    assert read(text) is None


def test_the_manifests_of_a_folder_above_are_not_those_of_this_one() -> None:
    text = '[tool.forge]\nmanifests = ["flows"]\nstrict = true\n'
    assert read(text, "../pyproject.toml") == Settings(strict=True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '[tool.forge]\nmanifests = "flows"\n',
            (
                "pyproject.toml:2: [tool.forge] manifests must be a list of paths, found 'flows'; "
                'write  manifests = ["manifests"]'
            ),
        ),
        (
            '[tool.forge]\nmanifests = ["a\\u0000"]\n',
            (
                "pyproject.toml:2: [tool.forge] manifests has 'a\\x00', which can be the name of no"
                " file"
            ),
        ),
        (
            "[tool.forge]\nselect = [1]\n",
            (
                "pyproject.toml:2: [tool.forge] select must be a list of rules, found [1]; "
                'write  select = ["dependency-cycle"]'
            ),
        ),
        (
            "[tool.forge]\nstrict = 'yes'\n",
            (
                "pyproject.toml:2: [tool.forge] strict must be true or false, found 'yes'; "
                "write  strict = true"
            ),
        ),
        (
            "[tool.black]\nselct = 1\n[tool.forge]\nstrict = true\n'selct' = []\n",
            "pyproject.toml:5: [tool.forge] has no key 'selct'; did you mean 'select'?",
        ),
        (
            "tool.forge.zzz = 1\n",
            (
                "pyproject.toml:1: [tool.forge] has no key 'zzz'; "
                "known: manifests, select, ignore, strict"
            ),
        ),
        (
            '[tool.forge]\nselect = ["unsed-role"]\n',
            (
                "pyproject.toml:2: [tool.forge] there is no rule 'unsed-role'; "
                "did you mean 'unused-role'?"
            ),
        ),
        (
            "[tool]\nforge = 1\n",
            "'tool.forge' in 'pyproject.toml' must be a table; write  [tool.forge]",
        ),
        (
            "tool = 1  # forge\n",
            "'tool.forge' in 'pyproject.toml' must be a table; write  [tool.forge]",
        ),
    ],
)
def test_a_fault_is_told_with_its_place_and_what_to_write(text: str, sentence: str) -> None:
    with pytest.raises(ForgeError) as refusal:
        read(text)
    assert str(refusal.value) == sentence


def test_an_error_cannot_be_ignored() -> None:
    with pytest.raises(ForgeError, match="'dependency-cycle' is an error; only warnings can be"):
        read('[tool.forge]\nignore = ["dependency-cycle"]\n')


@pytest.mark.parametrize("data", [b"[tool.forge\n", b"\xff # forge", b"a = " + b"[" * 9_999])
def test_what_is_no_toml_is_told_with_the_name_of_the_file(data: bytes) -> None:
    with pytest.raises(ForgeError, match=r"^'\.\./pyproject.toml' cannot be read: "):
        settings("../pyproject.toml", data)
