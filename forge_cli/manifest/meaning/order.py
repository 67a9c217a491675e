"""Who waits for whom: links between items, rings among them, and what is over before what."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.references import Mentions


class Links(NamedTuple):
    """What an item waits for: to be accepted (`depends_on`), or to have ended (`after`)."""

    depends_on: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


NO_LINKS = Links()


class Parts(Protocol):
    """What the links are read from."""

    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def mentions(self) -> Mentions: ...
    def find(self, name: str, beside: Node) -> Node | None: ...


def links(parts: Parts) -> Mapping[str, Links]:
    """The links of each item that has any: as written, and as its references make them."""
    found: dict[str, Links] = {}
    for node in parts.nodes.values():
        named = parts.mentions.items.get(node.item_id, ())
        if node.agent is not None:
            named += parts.mentions.roles.get(node.agent.role_id, ())
        own = node.own
        if not named and "depends_on" not in own and "after" not in own and "review" not in own:
            continue
        accepted = [m.name for m in named if m.root == "items" and m.field != "status"]
        ended = [m.name for m in named if m.root == "items" and m.field == "status"]
        reviewed = own["review"].get("of", []) if "review" in own else []
        depends_on = _known(parts, node, [*own.get("depends_on", []), *accepted, *reviewed])
        after = _known(parts, node, [*own.get("after", []), *ended])
        found[node.item_id] = Links(
            depends_on, tuple(name for name in after if name not in depends_on)
        )
    return found


def _known(parts: Parts, node: Node, names: list[str]) -> tuple[str, ...]:
    nodes = (parts.find(name, node) for name in names)
    return tuple(dict.fromkeys(other.item_id for other in nodes if other is not None))


class Order:
    """The partial order of the items.

    An item with sub-tasks is over when they are; a sub-task waits for what its item waits for.
    """

    def __init__(self, nodes: Mapping[str, Node], links: Mapping[str, Links]) -> None:
        self._before = {node.item_id: _before(node, links) for node in nodes.values()}
        self._behind: dict[str, list[str]] = {item: [] for item in nodes}
        for item, earlier in self._before.items():
            for other in earlier:
                self._behind[other].append(item)
        self.sorted, self._tangled = self._sort()

    def rings(self) -> Iterator[tuple[str, ...]]:
        """Rings of items that wait for each other; no item is in two of them."""
        left = set(self._tangled)
        for start in self._tangled:
            if start not in left:
                continue
            trail: dict[str, int] = {}
            item: str | None = start
            while item is not None and item not in trail:
                trail[item] = len(trail)
                item = next((other for other in self._before[item] if other in left), None)
            walked = tuple(trail)
            if item is not None:
                yield walked[trail[item] :]
            left.difference_update(walked)

    def sweep(self, tracked: Mapping[str, int]) -> Iterator[tuple[str, int]]:
        """Each tracked item after all it waits for, with the ones that are surely over by then.

        The tracked items have numbers; the second value has the bit of each that is over. Items
        in rings, and behind them, are left out.
        """
        over: dict[str, int] = {}
        readers = {item: len(behind) for item, behind in self._behind.items()}
        for item in self.sorted:
            mask = 0
            for other in self._before[item]:
                mask |= over[other]
                readers[other] -= 1
                if not readers[other]:
                    del over[other]
            number = tracked.get(item)
            if number is not None:
                yield item, mask
                mask |= 1 << number
            if readers[item]:
                over[item] = mask

    def _sort(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        waiting = {item: len(earlier) for item, earlier in self._before.items()}
        ready = deque(item for item, count in waiting.items() if not count)
        done: list[str] = []
        while ready:
            item = ready.popleft()
            done.append(item)
            for other in self._behind[item]:
                waiting[other] -= 1
                if not waiting[other]:
                    ready.append(other)
        return tuple(done), tuple(item for item, count in waiting.items() if count)


def _before(node: Node, links: Mapping[str, Links]) -> tuple[str, ...]:
    own = links.get(node.item_id, NO_LINKS)
    earlier = (*own.depends_on, *own.after, *node.children)
    above = node.parent
    while above is not None:
        inherited = links.get(above.item_id, NO_LINKS)
        earlier += (*inherited.depends_on, *inherited.after)
        above = above.parent
    return tuple(dict.fromkeys(earlier)) if len(earlier) > 1 else earlier
