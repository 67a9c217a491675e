"""Which manifest is meant when none is named."""

from pathlib import Path

import pytest

from forge_cli.app.choice import manifest
from forge_cli.errors import ForgeError


def test_the_only_manifest_is_meant(tmp_path: Path) -> None:
    (tmp_path / "a.forge.yml").touch()
    (tmp_path / "b.yaml").touch()
    assert manifest(tmp_path, "forge run") == tmp_path / "a.forge.yml"


def test_of_several_none_is_chosen_and_all_are_listed(tmp_path: Path) -> None:
    for name in ("b.forge.yaml", "a.forge.yaml"):
        (tmp_path / name).touch()
    with pytest.raises(ForgeError, match=r"2 manifests are here: 'a\.forge\.yaml', 'b\.forge\.ya"):
        manifest(tmp_path, "forge plan")


def test_of_many_only_the_first_are_listed(tmp_path: Path) -> None:
    for number in range(28):
        (tmp_path / f"m{number:02}.forge.yaml").touch()
    with pytest.raises(
        ForgeError, match=r"28 manifests are here: .*'m04\.forge\.yaml' and 23 more;"
    ):
        manifest(tmp_path, "forge run")


def test_where_there_is_none_it_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match=r"name one \(`forge run MANIFEST`\).*`forge init`"):
        manifest(tmp_path, "forge run")
