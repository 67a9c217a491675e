"""A manifest as a graph."""

from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.graph import Edge, Graph, graph
from forge_cli.app.plan import compiled
from forge_cli.manifest.meaning.topology import Topology

Draw = Callable[[str], Graph]

ROLE = "{capabilities: [read], handler: {kind: command, argv: [x]}}"


@pytest.fixture
def draw(tmp_path: Path) -> Draw:
    """The graph of the text of a manifest."""

    def drawn(text: str) -> Graph:
        path = tmp_path / "m.forge.yaml"
        path.write_text("forge: 1\n" + text)
        found = compiled(path, 0)
        assert found.plan is not None
        return graph(found.plan, Topology(found.data, found.origins))

    return drawn


def facts(found: Graph) -> dict[str, tuple[str, ...]]:
    return {item.name: item.facts for item in found.items}


def test_items_say_who_does_them_when_and_how_often(draw: Draw) -> None:
    found = draw(f"""
inputs: {{parts: {{default: [a]}}}}
roles: {{r: {ROLE}}}
work_items:
  by-role: {{role: r}}
  routed: {{capabilities: [read], goal: Look}}
  listed: {{run: [x], capabilities: [], for_each: [1, 2], required: false}}
  given: {{run: [x], capabilities: [], for_each: "${{inputs.parts}}", when: "`true`"}}
  push: {{run: [x], capabilities: [], risk: irreversible}}
""")
    assert facts(found) == {
        "by-role": ("r@1",),
        "routed": ("r@1",),
        "listed": ("inline", "for each of [1, 2]", "not required"),
        "given": ("inline", "when `true`", "for each of ${inputs.parts}"),
        "push": ("inline", "irreversible"),
    }
    assert found.items[1].details == ("Look", "may use read")
    assert found.items[2].details == ("may use nothing",)


def test_an_order_that_only_a_reference_makes_is_drawn(draw: Draw) -> None:
    found = draw("""
work_items:
  a: {run: [x], capabilities: []}
  b: {run: [x, "${items.a.outputs.result}"], capabilities: []}
  c: {run: [x], capabilities: [], after: [b]}
""")
    assert found.order == (Edge("a", "b"), Edge("b", "c", "after", weak=True))


def test_sub_tasks_are_parts_of_their_item(draw: Draw) -> None:
    found = draw("""
work_items:
  all:
    pattern: parallel
    sub_tasks:
      one: {run: [x], capabilities: []}
      two: {run: [x], capabilities: [], depends_on: [one]}
""")
    (group,) = found.items
    assert group.facts == ("parallel",)
    assert [part.name for part in group.parts] == ["all.one", "all.two"]
    assert found.order == (Edge("all.one", "all.two"),)


def test_only_roles_that_hand_work_on_or_get_it_are_drawn(draw: Draw) -> None:
    lead = "{capabilities: [read], delegates: {to: [b]}, handler: {kind: command, argv: [x]}}"
    found = draw(f"roles: {{a: {lead}, b: {ROLE}, c: {ROLE}}}\nwork_items: {{i: {{role: c}}}}\n")
    assert [role.title for role in found.roles] == ["a@1", "b@1"]
    assert found.handovers == (Edge("role:a", "role:b", "may delegate", weak=True),)
