"""The names that a Python file defines, by its syntax alone: nothing of it is run."""

import _ast
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_PARSED = 262_144
"""Bytes of a file that are parsed: a syntax tree takes a hundred times as many."""

_DYNAMIC = re.compile(
    rb"\b(globals|locals|vars|exec|eval|setattr|modules|__dict__|__getattr__|global)\b"
)
_FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, _ast.ClassDef)


class Definitions(NamedTuple):
    """What a file defines at its top, `functions` those names that are functions.

    An `open` file may define more when it runs. `fault` is why it cannot be parsed, with the
    `line` (1-based, 0 where there is none); then it has no names.
    """

    names: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()
    open: bool = False
    fault: str = ""
    line: int = 0


def definitions(content: bytes) -> Definitions:
    """The names that the file has after it was run, as far as its text tells."""
    if len(content) > MAX_PARSED:
        return Definitions(open=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: Any = compile(content, "<file>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return Definitions(fault=_told(error), line=error.lineno or 0)
    except ValueError as error:
        return Definitions(fault=str(error))
    except (RecursionError, MemoryError):
        return Definitions(open=True)
    names = frozenset(name for statement in tree.body for name in _bound(statement))
    functions = tuple(each.name for each in tree.body if isinstance(each, _FUNCTIONS))
    return Definitions(names, functions, "*" in names or bool(_DYNAMIC.search(content)))


def _told(error: SyntaxError) -> str:
    return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)


def _bound(root: _ast.AST) -> Iterator[str]:
    """Every name that a statement binds where it stands, not inside of functions and classes."""
    rest: list[object] = [root]
    while rest:
        node = rest.pop()
        if isinstance(node, list):
            rest += node
        elif isinstance(node, _SCOPES):
            yield node.name
        elif isinstance(node, _ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, _ast.Name):
            if isinstance(node.ctx, _ast.Store):
                yield node.id
        elif isinstance(node, _ast.AST):
            rest += [getattr(node, field, None) for field in node._fields]
