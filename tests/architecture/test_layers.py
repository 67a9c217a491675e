"""The shape of the source: imports point down, no cycle, no giant file, no drawer."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "forge_cli"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MOST_LINES = 400
DRAWERS = {"base", "common", "core", "helper", "helpers", "lib", "misc", "shared", "util", "utils"}


def imports(module: str) -> Iterator[str]:
    """Modules of the package that this one imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def test_the_import_contract_holds() -> None:
    argv = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {module: set(imports(module)) - {module} for module in MODULES}
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("folder", ["forge_cli", "tests"])
def test_no_file_is_a_giant(folder: str) -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_folder_or_module_is_a_drawer() -> None:
    names = {part for module in MODULES for part in module.split(".")}
    assert names & DRAWERS == set()


def test_every_module_opens_with_what_it_is_for() -> None:
    silent = [
        module
        for module, path in MODULES.items()
        if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_no_relative_import() -> None:
    relative = [
        module
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []
