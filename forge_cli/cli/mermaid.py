"""A graph as a Mermaid flowchart."""

import string
from collections.abc import Iterator, Mapping

from forge_cli.app.graph import Edge, Graph, Node
from forge_cli.cli.labels import Labels, Quotation, numbered

_TEXT = Quotation(
    frozenset(string.ascii_letters + string.digits + " .,:_-/@()[]=+'?!"), "#{};", "<br/>"
)


def drawn(graph: Graph, labels: Labels) -> Iterator[str]:
    """The lines of the chart; names of nodes are numbers, so that no id can be taken for syntax."""
    names = numbered(graph)
    yield "flowchart TD"
    for item in graph.items:
        yield from _item(item, names, labels, "  ")
    for edge in graph.order:
        yield f"  {_edge(edge, names, labels)}"
    if graph.roles:
        yield "  subgraph roles"
        for role in graph.roles:
            yield f"    {names[role.name]}([{labels.of(role, _TEXT)}])"
        for edge in graph.handovers:
            yield f"    {_edge(edge, names, labels)}"
        yield "  end"


def _item(item: Node, names: Mapping[str, str], labels: Labels, indent: str) -> Iterator[str]:
    shown = f"{names[item.name]}[{labels.of(item, _TEXT)}]"
    if not item.parts:
        yield f"{indent}{shown}"
        return
    yield f"{indent}subgraph {shown}"
    for part in item.parts:
        yield from _item(part, names, labels, f"{indent}  ")
    yield f"{indent}end"


def _edge(edge: Edge, names: Mapping[str, str], labels: Labels) -> str:
    label = f"|{labels.quoted(edge.label, _TEXT)}|" if edge.label else ""
    return f"{names[edge.tail]} {'-.->' if edge.weak else '-->'}{label} {names[edge.head]}"
