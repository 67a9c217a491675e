"""Where a fault began that the reader of YAML met only later; offsets are code points."""

import re

_MOST_LINES = 500
"""Lines above a fault that are looked at."""

_UNSPACED = r"[ ]*(?:- )*([A-Za-z_][\w-]*):(?![\s/:])([^\s:][^\n:]*)"
_REFERENCE = r"\$\{[^{}\n]*\}"


def open_quote(text: str, offset: int) -> int | None:
    """The quote on a line above that the one just before `offset` was taken to close."""
    quote = text[:offset].rstrip(" ")[-1:]
    if quote not in ("'", '"'):
        return None
    start = _line_start(text, offset)
    for line in reversed(text[:start].splitlines(keepends=True)[-_MOST_LINES:]):
        start -= len(line)
        found = re.search(rf"(?:^|[\s:\[,{{])({quote})[^{quote}\n]*$", line.rstrip("\n"))
        if found:
            return start + found.start(1)
    return None


def unspaced(line: str) -> tuple[str, str] | None:
    """Key and value of a line that has no blank behind its colon; no address, and no text."""
    found = re.fullmatch(_UNSPACED, line.partition(" #")[0].rstrip())
    return (found[1], found[2]) if found else None


def line_above(text: str, offset: int) -> tuple[int, str]:
    """Where the nearest line above begins that holds anything, and that line."""
    start = _line_start(text, offset)
    for line in reversed(text[:start].splitlines(keepends=True)[-_MOST_LINES:]):
        start -= len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            return start, line.rstrip()
    return 0, ""


def behind_brackets(text: str, offset: int) -> int | None:
    """Where the value begins, if it is one in brackets that text follows at `offset`."""
    start = _line_start(text, offset)
    found = re.fullmatch(r"(\s*(?:- )*[^\s:]+: +)[\[{].*[\]}]\s*", text[start:offset])
    return start + len(found[1]) if found else None


def reference(text: str, offset: int) -> str:
    """The `${...}` at an offset, or just before its brace; else nothing."""
    for start in (offset, max(offset - 1, 0)):
        found = re.compile(_REFERENCE).match(text, start)
        if found:
            return found[0]
    return ""


def ended_by(text: str, offset: int) -> int | None:
    """Where the line begins that ended the mapping to which a line indented as far belonged."""
    start = _line_start(text, offset)
    mine, ending = offset - start, None
    for line in reversed(text[:start].splitlines(keepends=True)[-_MOST_LINES:]):
        start -= len(line)
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if indent == mine:
            return ending
        if indent < mine:
            ending = start + indent
    return None


def columns(text: str, offset: int) -> str:
    """Where the mappings that are open above a line begin: `1`, `1 or 3`, `1, 3 or 5`."""
    start, found = _line_start(text, offset), list[int]()
    for line in reversed(text[:start].splitlines()[-_MOST_LINES:]):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and not line.lstrip().startswith("#") and indent < min(found, default=80):
            found.append(indent)
    *others, last = (str(each + 1) for each in reversed(found or [0]))
    return f"{', '.join(others)} or {last}" if others else last


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1
