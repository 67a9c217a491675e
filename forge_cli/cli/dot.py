"""A graph in the DOT language of Graphviz."""

import string
from collections.abc import Iterator, Mapping

from forge_cli.app.graph import Edge, Graph, Node
from forge_cli.cli.labels import Labels, Quotation, numbered

_PLAIN = string.ascii_letters + string.digits + string.punctuation + " "
_TEXT = Quotation(frozenset(_PLAIN) - frozenset('&<>"\\'), "&#{};", "\\n", {"\\": "\\\\"})


def drawn(graph: Graph, labels: Labels) -> Iterator[str]:
    """The lines of the drawing; an arrow to a group ends at its border."""
    names = numbered(graph)
    groups = {item.name: item for item in graph.items if item.parts}
    yield f"digraph {labels.quoted(graph.name, _TEXT)} {{"
    yield "  compound=true;"
    yield "  node [shape=box];"
    for item in graph.items:
        yield from _item(item, names, labels, "  ")
    for edge in graph.order:
        yield f"  {_edge(edge, groups, names, labels)}"
    if graph.roles:
        yield "  subgraph cluster_roles {"
        yield '    label="roles";'
        for role in graph.roles:
            yield f"    {names[role.name]} [shape=ellipse, label={labels.of(role, _TEXT)}];"
        for edge in graph.handovers:
            yield f"    {_edge(edge, groups, names, labels)}"
        yield "  }"
    yield "}"


def _item(item: Node, names: Mapping[str, str], labels: Labels, indent: str) -> Iterator[str]:
    name, text = names[item.name], labels.of(item, _TEXT)
    if not item.parts:
        yield f"{indent}{name} [label={text}];"
        return
    yield f"{indent}subgraph cluster_{name} {{"
    yield f"{indent}  label={text};"
    for part in item.parts:
        yield from _item(part, names, labels, f"{indent}  ")
    yield f"{indent}}}"


def _edge(edge: Edge, groups: Mapping[str, Node], names: Mapping[str, str], labels: Labels) -> str:
    """DOT draws between nodes only: for a group its first part stands, and the border is named."""
    tail, head = (
        groups[end].parts[0].name if end in groups else end for end in (edge.tail, edge.head)
    )
    settings = [
        *([f"label={labels.quoted(edge.label, _TEXT)}"] if edge.label else []),
        *(["style=dotted"] if edge.weak else []),
        *([f"ltail=cluster_{names[edge.tail]}"] if edge.tail in groups else []),
        *([f"lhead=cluster_{names[edge.head]}"] if edge.head in groups else []),
    ]
    behind = f" [{', '.join(settings)}]" if settings else ""
    return f"{names[tail]} -> {names[head]}{behind};"
