"""Routing at compile time: each item that names nobody goes to the least-privileged role."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.manifest.meaning.scopes import covers, fault, literal


class Need(NamedTuple):
    """What a role must have to do an item: `scope` is empty where the item does not narrow it."""

    capabilities: frozenset[str]
    outputs: frozenset[str] = frozenset()
    scope: tuple[str, ...] = ()


class Route(NamedTuple):
    """Who does an item, why, and which roles only the role id kept from it (told once a tie)."""

    role_id: str
    reason: str
    tied: tuple[str, ...] = ()


class Explanation(NamedTuple):
    """Why an item is done by the role it is done by: who else could, and what the others lack."""

    chosen: str
    reason: str
    others: tuple[str, ...]
    lacking: Mapping[str, tuple[str, ...]]


class _Queue:
    """The capable roles of one need with the fewest capabilities, by load and then role id."""

    __slots__ = ("differ", "heap", "roles", "tie_told")

    def __init__(self, roles: tuple[Agent, ...], differ: bool, heap: list[tuple[int, str]]) -> None:
        self.roles = roles
        self.differ = differ
        self.heap = heap
        self.tie_told = False


class Router:
    """Assigns items in manifest order: fewest capabilities, then load, then role id.

    The load of a role is the number of items that were routed to it before. Sets of roles are
    bit masks, found by what the roles have, so that a thousand roles and a hundred thousand items
    stay cheap.
    """

    def __init__(self, roles: Mapping[str, Agent]) -> None:
        self._roles = tuple(roles.values())
        self._load: dict[str, int] = defaultdict(int)
        self._queues: dict[int, _Queue] = {}
        self._having: dict[str, int] = defaultdict(int)
        self._scopes: dict[tuple[str, ...], int] = defaultdict(int)
        self._at: dict[tuple[str, ...], dict[tuple[str, ...], None]] = defaultdict(dict)
        self._below: dict[tuple[str, ...], dict[tuple[str, ...], None]] = defaultdict(dict)
        sizes: dict[int, int] = defaultdict(int)
        for number, role in enumerate(self._roles):
            for word in (*role.capabilities, *map(_output, role.outputs)):
                self._having[word] |= 1 << number
            if role.scope not in self._scopes:
                self._enter(role.scope)
            self._scopes[role.scope] |= 1 << number
            sizes[len(role.capabilities)] |= 1 << number
        self._tiers = tuple(mask for _, mask in sorted(sizes.items()))

    def route(self, need: Need) -> Route | None:
        """The role for the next item that needs this, or None where no role can."""
        capable = self._capable(need)
        tier = next((capable & tier for tier in self._tiers if capable & tier), 0)
        if not tier:
            return None
        queue = self._queues.get(tier)
        if queue is None:
            queue = self._queues[tier] = self._queue(tier)
        chosen = self._least_loaded(queue)
        load = self._load[chosen]
        tied = self._tied(queue, chosen, load)
        self._load[chosen] += 1
        return Route(chosen, _reason(queue, load), tied)

    def capable(self, needs: Iterable[Need]) -> tuple[str, ...]:
        """Every role that could meet one of the needs, in the order of the manifest."""
        mask = 0
        for need in needs:
            mask |= self._capable(need)
        return tuple(role.role_id for role in self._members(mask))

    def _enter(self, scope: tuple[str, ...]) -> None:
        for text in scope:
            prefix = literal(text)
            self._at[prefix][scope] = None
            for length in range(len(prefix)):
                self._below[prefix[:length]][scope] = None

    def _capable(self, need: Need) -> int:
        mask = (1 << len(self._roles)) - 1
        for word in (*need.capabilities, *map(_output, need.outputs)):
            mask &= self._having.get(word, 0)
        found = 0
        for scope in self._near(need):
            if self._scopes[scope] & mask and covers(scope, need.scope):
                found |= self._scopes[scope]
        return found & mask

    def _near(self, need: Need) -> Iterable[tuple[str, ...]]:
        """The scopes that may hold the need's, by what stands before the first wildcard.

        Of a scope that holds another, one pattern begins as the other does, or the other way round.
        """
        text = next((text for text in need.scope if not fault(text)), None)
        if text is None:
            return self._scopes
        prefix = literal(text)
        above = (self._at.get(prefix[:length], {}) for length in range(len(prefix) + 1))
        return dict.fromkeys(chain(*above, self._below.get(prefix, {})))

    def _members(self, mask: int) -> list[Agent]:
        return [role for number, role in enumerate(self._roles) if mask >> number & 1]

    def _queue(self, tier: int) -> _Queue:
        roles = sorted(self._members(tier), key=lambda role: role.role_id)
        handlers = [role.written.get("handler") for role in roles]
        return _Queue(
            tuple(roles),
            any(handler != handlers[0] for handler in handlers),
            sorted((self._load[role.role_id], role.role_id) for role in roles),
        )

    def _least_loaded(self, queue: _Queue) -> str:
        # Loads only rise, so an entry that is out of date is put right when it comes up.
        while queue.heap[0][0] != (load := self._load[queue.heap[0][1]]):
            heapq.heapreplace(queue.heap, (load, queue.heap[0][1]))
        return queue.heap[0][1]

    def _tied(self, queue: _Queue, chosen: str, load: int) -> tuple[str, ...]:
        if not queue.differ or queue.tie_told:
            return ()
        handlers = {r.role_id: r.written.get("handler") for r in queue.roles}
        equal = (role for role in handlers if self._load[role] == load)
        tied = tuple(role for role in equal if handlers[role] != handlers[chosen])
        queue.tie_told = bool(tied)
        return tied


def lacks(role: Agent, need: Need) -> tuple[str, ...]:
    """What the role would need to do it: `capability x`, `outputs a, b`, `scope`."""
    found = [f"capability {word}" for word in sorted(need.capabilities - role.capabilities)]
    outputs = sorted(need.outputs - frozenset(role.outputs))
    if outputs:
        found.append(f"outputs {', '.join(outputs)}")
    beyond = [scope for scope in need.scope if not covers(role.scope, (scope,))]
    if beyond:
        found.append(f"scope {', '.join(beyond)}")
    return tuple(found)


def explain(roles: Mapping[str, Agent], need: Need, chosen: str, reason: str) -> Explanation:
    """Who else could do what the chosen role does, and what each of the others lacks."""
    lacking = {role.role_id: lacks(role, need) for role in roles.values() if role.role_id != chosen}
    others = tuple(role for role, lack in lacking.items() if not lack)
    return Explanation(chosen, reason, others, {r: lack for r, lack in lacking.items() if lack})


def _reason(queue: _Queue, load: int) -> str:
    number = len(queue.roles[0].capabilities)
    words = f"{number} {'capability' if number == 1 else 'capabilities'}"
    if len(queue.roles) == 1:
        return f"routed: no capable role has fewer than its {words}"
    return f"routed: lowest load, {load}, of {len(queue.roles)} capable roles with {words}"


def _output(key: str) -> str:
    return f"outputs.{key}"
