"""The files that a handler consists of, which it reads whatever its grant says."""

from pathlib import Path

MODULES = "node_modules"
"""The folder in which Node.js looks for what a program uses."""


def with_neighbours(file: Path) -> list[str]:
    """The file and, if it is Python's, what it can import from beside it: modules and packages.

    `file` may also be the folder of a package.
    """
    found = [str(file)]
    if file.suffix == ".py" or (file / "__init__.py").is_file():
        found += map(str, sorted(file.parent.glob("*.py")))
        found += (str(init.parent) for init in sorted(file.parent.glob("*/__init__.py")))
    return list(dict.fromkeys(found))


def parts(file: Path) -> list[str]:
    """What a program consists of: with its neighbours, or in Node.js with all that is installed."""
    names = (real := file.resolve()).parts
    if MODULES not in names:
        return with_neighbours(file)
    return [str(file), str(Path(*names[: names.index(MODULES) + 1])), str(real)]
