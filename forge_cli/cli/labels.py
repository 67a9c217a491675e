"""What the nodes of a graph are called and what stands in them, for every language of drawings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge_cli.app.graph import Graph, Node
from forge_cli.cli.tables import clip
from forge_cli.cli.terminal import Terminal

_WIDEST = 60
"""Columns of a line in a node; conditions and lists may be long."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """How a language writes text between quotes.

    `plain` are the ASCII characters that stand for themselves. All others have an escape of their
    own or become entities, as does what cannot be shown; `entity` takes a code point.
    """

    plain: frozenset[str]
    entity: str
    line_break: str
    escapes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Labels:
    """How much stands in a node: its title alone (`brief`), what is known, or also `details`."""

    terminal: Terminal
    brief: bool = False
    details: bool = False

    def lines(self, node: Node) -> list[str]:
        """What stands in a node, its title first; in no language yet."""
        facts = () if self.brief else node.facts
        details = node.details if self.details else ()
        return [clip(" ".join(line.split()), _WIDEST) for line in (node.title, *facts, *details)]

    def of(self, node: Node, quotation: Quotation) -> str:
        """What stands in a node, between quotes."""
        title, *rest = (self._written(line, quotation) for line in self.lines(node))
        return f'"{quotation.line_break.join([self.terminal.ink("bold", title), *rest])}"'

    def quoted(self, text: str, quotation: Quotation) -> str:
        """A text between quotes."""
        return f'"{self._written(text, quotation)}"'

    def _written(self, text: str, quotation: Quotation) -> str:
        return "".join(
            character
            if character in quotation.plain or self._is_foreign_and_shows(character)
            else quotation.escapes.get(character) or quotation.entity.format(ord(character))
            for character in text
        )

    def _is_foreign_and_shows(self, character: str) -> bool:
        return not character.isascii() and self.terminal.safe(character) == character


def numbered(graph: Graph) -> dict[str, str]:
    """For the name of each node one that every language takes, by its place in the manifest."""
    items = [each for item in graph.items for each in (item, *item.parts)]
    found = {item.name: f"i{number}" for number, item in enumerate(items, 1)}
    return found | {role.name: f"r{number}" for number, role in enumerate(graph.roles, 1)}
