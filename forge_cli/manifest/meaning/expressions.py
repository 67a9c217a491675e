"""JMESPath expressions: compiled to know what they read; a misspelt root would just be null."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from forge_cli.multiagent.terms import LONGEST_EXPRESSION

Steps = tuple[str, ...]
"""A way from the root through named fields, as far as it can be known without data."""

MAX_DEPTH = 200
"""Levels of an expression's syntax tree: its evaluation takes two frames of the stack for each."""

# Most conditions are one plain path, for which the parser (and its import) is not needed.
_PLAIN = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
_HYPHENATED = r"(?a)(?<![\w\"-])([A-Za-z_]\w*(?:-[A-Za-z0-9_]+)+)"
_BARE_LITERAL = r"(?P<sign>[=!<>]=|[<>])\s*(?P<literal>-?[0-9]+(?:\.[0-9]+)?)(?![\w`])"

# A name that needs no double quotes and has them was meant as text.
_TEXT = r"([=!]=\s*)\"([A-Za-z_]\w*)\"(?!\s*[.\[])"


class Reading(NamedTuple):
    """What an expression reads, or why it cannot be compiled.

    `fault` is the first thing that is wrong, `token` the part of the text at fault, `hint` what to
    type; all are empty for a sound expression.
    """

    paths: tuple[Steps, ...] = ()
    fault: str = ""
    token: str = ""
    hint: str = ""


@lru_cache(maxsize=65_536)
def read(text: str) -> Reading:
    """Compile the expression and follow what it reads from the root."""
    if len(text) > LONGEST_EXPRESSION:
        fault = (
            f"the expression has {len(text):,} characters, at most {LONGEST_EXPRESSION:,} may be"
        )
        return Reading(fault=fault, hint=_SPLIT)
    if text.count(".") < MAX_DEPTH and re.fullmatch(_PLAIN, text):
        return Reading((tuple(text.split(".")),))
    return _compile(text)


_SPLIT = "split it: let an item compute a part of it, and look at its output"
_TOO_DEEP = Reading(fault="the expression is nested too deeply", hint=_SPLIT)


def _compile(text: str) -> Reading:
    import jmespath
    from jmespath.exceptions import JMESPathError
    from jmespath.functions import Functions

    try:
        with catch_warnings():
            # A literal in backticks without quotes is text: an old form, and still a sound one.
            simplefilter("ignore", PendingDeprecationWarning)
            tree = jmespath.compile(text).parsed
    except JMESPathError as error:
        return _refused(text, error)
    except RecursionError:
        return _TOO_DEEP
    if _is_deep(tree):
        return _TOO_DEEP
    walk = _Walk()
    walk.keep(walk.visit(tree, ()))
    for name in walk.functions:
        if name not in Functions.FUNCTION_TABLE:
            known = ", ".join(sorted(Functions.FUNCTION_TABLE))
            return Reading(
                fault=f"there is no function {name!r}", token=name, hint=f"functions: {known}"
            )
    return Reading(tuple(dict.fromkeys(walk.paths)))


def _is_deep(tree: Mapping[str, Any]) -> bool:
    """Whether the tree has more than `MAX_DEPTH` levels (`a || b || c` has one for each `||`)."""
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node["children"]]
        if not level:
            return False
    return True


class _Walk:
    """Follows a syntax tree; a base of None is a place that only data could name."""

    def __init__(self) -> None:
        self.paths: list[Steps] = []
        self.functions: list[str] = []

    def keep(self, path: Steps | None) -> None:
        if path is not None:
            self.paths.append(path)

    def visit(self, node: Mapping[str, Any], base: Steps | None) -> Steps | None:
        children: Sequence[Mapping[str, Any]] = node["children"]
        match node["type"]:
            case "field":
                return None if base is None else (*base, node["value"])
            case "current" | "identity":
                return base
            case "subexpression" | "pipe":
                for child in children:
                    base = self.visit(child, base)
                return base
            case "expref":
                self.visit(children[0], None)
                return None
            case "index_expression" | "flatten" | "slice":
                self._elements(children, base)
                return None
            case "projection" | "value_projection" | "filter_projection":
                self._elements(children, base)
                return None
            case "function_expression":
                self.functions.append(node["value"])
        for child in children:
            self.keep(self.visit(child, base))
        return None

    def _elements(self, children: Sequence[Mapping[str, Any]], base: Steps | None) -> None:
        self.keep(self.visit(children[0], base))
        for child in children[1:]:
            self.visit(child, None)


def _refused(text: str, error: Exception) -> Reading:
    hyphenated = next(_hyphenated(text), "")
    if hyphenated:
        quoted = text
        for name in reversed([*re.finditer(_HYPHENATED, _outside_quotes(text))]):
            quoted = f'{quoted[: name.start()]}"{name[1]}"{quoted[name.end() :]}'
        return Reading(
            fault=f"{hyphenated!r} has a hyphen, which JMESPath reads only in double quotes",
            token=hyphenated,
            hint=f"write  {_translated(quoted)}",
        )
    bare = re.search(_BARE_LITERAL, text)
    if bare and not any(re.search(each, _outside_quotes(text)) for each in _FOREIGN):
        literal = bare["literal"]
        mended = f"{text[: bare.start('literal')]}`{literal}`{text[bare.end('literal') :]}"
        return Reading(
            fault=f"{literal} is a literal, which JMESPath reads only in backticks",
            token=literal,
            hint=f"write  {mended}",
        )
    for operator, meant in _FOREIGN.items():
        found = re.search(operator, _outside_quotes(text))
        if found:
            token = found[0].strip()
            return Reading(
                fault=f"'{token}' is no operator of JMESPath; it says '{meant}'",
                token=token,
                hint=f"write  {_translated(text)}",
            )
    if opened := _still_open(text):
        fault = f"the expression {text!r} is not complete: a '{opened}' is never closed"
        return Reading(fault=fault, hint=f"close it with '{_CLOSING[opened]}' where it ends")
    return Reading(fault=_sentence(text, error), token=_token(text, error), hint=_QUOTING)


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _still_open(text: str) -> str:
    """The last bracket that nothing closes, if there is one."""
    opened: list[str] = []
    for character in _outside_quotes(text):
        if character in _CLOSING:
            opened.append(character)
        elif opened and character == _CLOSING[opened[-1]]:
            opened.pop()
    return opened[-1] if opened else ""


_QUOTING = 'names with hyphens need double quotes, literals backticks: "a-b" == `0`'


_FOREIGN = {
    r"(?<![=!<>])=(?!=)": "==",
    r"===": "==",
    r"!==": "!=",
    r"<>": "!=",
    r"\s(?:and|AND)\s": "&&",
    r"\s(?:or|OR)\s": "||",
    r"(?<!\S)(?:not|NOT)\s": "!",
}
"""Operators of other languages, and what they are in JMESPath."""


def _translated(text: str) -> str:
    """The text with JMESPath's operators and its literals in backticks."""
    for operator, meant in _FOREIGN.items():
        padded = f" {meant} " if meant in ("&&", "||") else meant
        for found in reversed([*re.finditer(operator, _outside_quotes(text))]):
            text = f"{text[: found.start()]}{padded}{text[found.end() :]}"
    for found in reversed([*re.finditer(_BARE_LITERAL, _outside_quotes(text))]):
        start, end = found.span("literal")
        text = f"{text[:start]}`{found['literal']}`{text[end:]}"
    return re.sub(_TEXT, r"\1'\2'", text)


def _outside_quotes(text: str) -> str:
    """The text with blanks for what stands in quotes or backticks, which is read as it is."""
    return re.sub(
        r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`", lambda m: " " * len(m[0]), text
    )


def _hyphenated(text: str) -> Iterator[str]:
    yield from (match[1] for match in re.finditer(_HYPHENATED, _outside_quotes(text)))


def _sentence(text: str, error: Exception) -> str:
    position = getattr(error, "lex_position", None)
    if not text.strip():
        return "the expression is empty"
    if not isinstance(position, int) or position >= len(text):
        return f"the expression {text!r} is not complete"
    return f"the expression {text!r} cannot be read at character {position + 1}"


def _token(text: str, error: Exception) -> str:
    position = getattr(error, "lex_position", None)
    return text[position : position + 1] if isinstance(position, int) else ""
