"""Writes the tables of keys in the pages: each from what the model says of one mapping.

A table stands below `<!-- keys: NAME -->`, NAME being the title of the mapping in the JSON Schema.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forge_cli.manifest.naming import flow
from forge_cli.manifest.shape.generate import json_schema

DOCS = Path(__file__).resolve().parent
PAGES = (DOCS / "manifest.md", DOCS / "handlers.md")
TABLE = re.compile(r"(?<=^<!-- keys: )(\w+)( -->\n)(?:\|.*\n)*", re.MULTILINE)
_LONGEST = 200
HEAD = "| key | what it is | example |\n|---|---|---|\n"


def definitions() -> dict[str, dict[str, Any]]:
    """Every mapping with keys of the language, by its title; a sub-task with its own alone."""
    schema = json_schema()
    found = {each["title"]: each for each in [schema, *schema["$defs"].values()]}
    shared = found["Item"]["properties"]
    own = {k: v for k, v in found["SubTask"]["properties"].items() if k not in shared}
    return found | {"SubTask": {"properties": own}}


def freshened(page: str) -> str:
    """The page with its tables as the model has them."""
    known = definitions()
    return TABLE.sub(lambda found: f"{found[1]}{found[2]}{_table(known[found[1]])}", page)


def _table(definition: dict[str, Any]) -> str:
    return HEAD + "".join(_rows(definition))


def _rows(definition: dict[str, Any]) -> Iterator[str]:
    needed = definition.get("required", ())
    for key, value in definition["properties"].items():
        told = [value["description"]]
        if len(value.get("enum", ())) > 1:
            told.append(f"One of {', '.join(f'`{each}`' for each in value['enum'])}.")
        if key in needed:
            told.append("**Required.**")
        example = _code(f"{key}: {flow(value['examples'][0], _LONGEST)}")
        yield f"| `{key}` | {_cell(' '.join(told))} | {example} |\n"


def _code(text: str) -> str:
    """A text as code, also if it has the mark of code in it."""
    mark, blank = ("``", " ") if "`" in text else ("`", "")
    return _cell(f"{mark}{blank}{text}{blank}{mark}")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the pages anew."""
    for path in PAGES:
        path.write_text(freshened(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
