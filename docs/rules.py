"""Writes docs/rules.md from the docstrings of the rules."""

import ast
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
RULES = DOCS.parent / "forge_cli" / "manifest" / "rules"
HEAD = """\
# Rules

What `forge validate` reports; `forge explain <rule>` says the same of one. Errors exit 1;
warnings do not, unless `--strict`. This page is written from the rules (`make generate`).
"""


def page() -> str:
    """The whole page: one section for each rule, by name."""
    modules = sorted(path for path in RULES.glob("[a-z]*.py"))
    sections = (f"\n## {path.stem.replace('_', '-')}\n\n{_docstring(path)}\n" for path in modules)
    return HEAD + "".join(sections)


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def main() -> None:
    """Write the page, or with --check say whether it is as it would be written."""
    target = DOCS / "rules.md"
    if "--check" in sys.argv:
        sys.exit(
            target.read_text("utf-8") != page() and "docs/rules.md is out of date: make generate"
        )
    target.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
