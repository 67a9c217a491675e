"""The shelf of formats is complete, and each of its entries keeps the same promises."""

from pathlib import Path

from forge_cli.cli import formats
from forge_cli.cli.formats import FORMATS

ROOT = Path(__file__).parents[3]


def test_the_table_has_every_module_of_the_shelf() -> None:
    modules = {path.stem for path in Path(formats.__path__[0]).glob("[a-z]*.py")}
    assert modules == set(FORMATS)
