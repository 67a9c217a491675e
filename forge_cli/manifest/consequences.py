"""Which findings about meaning only follow from another fault, and so are not told.

A finding follows if what is lost could have been what makes it untrue. So each rule has the keys
that it looks at; it is believed where none of them is lost in what the finding speaks of: its item
or role, the one above, the role and the contract behind it, the items that it refers to, the run.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import entity_of
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.subject import Subject

if TYPE_CHECKING:
    from forge_cli.manifest.meaning.nodes import Node

_SECTIONS = frozenset({"capabilities", "delegations", "include", "roles", "work_items"})
"""Sections without which most names lead nowhere."""

_DOER = frozenset(
    {
        "delegate",
        "delegation",
        "delegator",
        "handler",
        "kind",
        "pattern",
        "role",
        "run",
        "script",
        "sub_tasks",
    }
)
"""Keys that say what an item, a role or a delegation is; without one, nothing said of it holds."""

_ORDER = frozenset({"depends_on", "after", "with", "when", "for_each", "env", "goal"})


def _on(*keys: str) -> frozenset[str]:
    return _DOER | frozenset(keys)


_WHO = _on("authority", "capabilities", "delegates", "outputs", "owner", "scope", "to")

_LOOKS_AT: Mapping[str, frozenset[str]] = {
    "unknown-reference": _on(
        "channels", "context_packages", "env", "inputs", "outputs", "schemas", "secrets", "state"
    ),
    "version-mismatch": frozenset({"schemas", "version"}),
    "unknown-interpolation": frozenset({"for_each"}),
    "bad-expression": _on("outputs"),
    "capability-exceeds-role": _on("capabilities"),
    "authority-exceeds-delegates": _on("authority", "capabilities", "delegates", "to"),
    "output-exceeds-role": _on("outputs"),
    "scope-exceeds-parent": _on("for_each", "scope", "writes"),
    "budget-exceeds-parent": _on(
        "budget", "cost_usd", "max_usage", "model_calls", "tokens", "tool_calls"
    ),
    "deadline-after-parent": frozenset({"deadline", "delegation"}),
    "depth-exceeded": _on("delegates", "depth", "hierarchical_max_depth", "settings", "to"),
    "unwritable-scope": _on("capabilities", "for_each", "scope", "writes"),
    "write-conflict": _on("capabilities", "for_each", "scope", "writes"),
    "state-owner-conflict": _on("merge", "owner", "return_channel", "state"),
    "unordered-read": _on("return_channel"),
    "risk-understated": _on("capabilities"),
    "unbounded-transcript": frozenset({"max_bytes", "summary"}),
    "correlated-reviewers": _on("instructions", "model_family", "review"),
    "joint-too-large": frozenset({"max_joint_agents", "settings"}),
    "no-capable-role": _WHO,
    "no-proposal": _on("outputs"),
    "ungranted-tool": _on("capabilities", "capability", "servers", "tool", "tools"),
    "unclear-call": _on("authority", "capabilities", "capability", "tool", "tools"),
    "inert-key": _on(
        "backoff",
        "capabilities",
        "complexity",
        "dynamic_decomposition",
        "for_each",
        "max_attempts",
        "result",
        "scope",
        "settings",
        "stdin",
        "writes",
    ),
}
"""What a rule looks at in what a finding speaks of; rules that look at one text are not here."""

_LOOKS_AT_ALL: Mapping[str, frozenset[str]] = {
    "ambiguous-route": _WHO | {"argv", "call", "env", "model", "sandbox", "secrets"},
    "route-overprivileged": _WHO,
    "unused-role": _WHO,
    "unreachable-minimum": (_DOER | {"required"}) - {"handler", "kind"},
    "write-conflict": _ORDER | _DOER,
    "state-owner-conflict": _ORDER | _DOER,
    "unordered-read": _ORDER | _DOER,
    "missing-compensation": _ORDER | _DOER | {"compensate"},
    "budget-oversubscribed": _on("budget", "cost_usd", "model_calls", "tokens", "tool_calls"),
}
"""What a rule looks at everywhere in the manifest."""


_LEAVE_UNKNOWN = frozenset(
    {
        "bad-expression",
        "bad-reference",
        "deadline-past",
        "missing-file",
        "missing-function",
        "self-delegation",
        "unknown-interpolation",
        "unknown-reference",
    }
)
"""Rules about meaning whose findings leave open what was meant, as a lost value does."""

_WIDEN = frozenset({"capability-exceeds-role", "scope-exceeds-parent"})
"""Rules about a grant that will be another one: what follows from it is not told as well."""

_TEXTS = frozenset({"argv", "compensate", "env", "goal", "instructions", "run", "when", "with"})
"""Keys of texts that refer to something; what they are beside that is known."""


def judgeable(subject: Subject) -> bool:
    """Whether there is a meaning to judge: the manifest was read, and no section of it is lost."""
    if subject.source.data is None or subject.structure.hopeless or () in subject.source.holes:
        return False
    sections = {path[0] for path in subject.structure.lost if len(path) == 1}
    return sections.isdisjoint(_SECTIONS)


class Consequences:
    """Tells the findings that follow from what other faults leave unknown.

    These are the faults of the shape, and the findings about meaning that were asked for before.
    """

    def __init__(self, subject: Subject) -> None:
        errors = subject.structure.errors
        self._subject = subject
        self._told = {error.path for error in errors if error.rule != "missing-key"}
        self._spots: set[tuple[Path, str | None]] = set()
        self._holes = {entity_of(path) for path in subject.source.holes}
        self._inside = {str(error.path[-1]) for error in errors if error.misplaced}
        self._lost: dict[Path, set[str]] = {}
        self._lost_anywhere: set[str] = set()
        for path in (*subject.structure.lost, *(e.path for e in errors if _is_guess(e))):
            self._lose(path, _key_of(path))

    def others(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those of one rule's findings that do not only follow; from now on they count, too."""
        others = [finding for finding in findings if not self.include(finding)]
        for finding in others:
            path = finding.spot.path
            self._spots.add((path, finding.spot.token))
            if finding.rule in _LEAVE_UNKNOWN:
                self._lose(path, "with" if _TEXTS.intersection(path[2:]) else _key_of(path))
            elif finding.rule in _WIDEN:
                self._lost.setdefault(entity_of(path), set()).add(_key_of(path))
        return others

    def include(self, finding: Finding) -> bool:
        """Whether a finding about meaning only follows from a fault that is told anyway."""
        if self._is_told(finding.spot) or (self._inside and self._misses_one_inside(finding)):
            return True
        if not self._lost and not self._holes:
            return False
        if finding.rule in _LOOKS_AT_ALL and (
            self._holes or not self._lost_anywhere.isdisjoint(_LOOKS_AT_ALL[finding.rule])
        ):
            return True
        if finding.rule in _ABOUT_NAMES and () in self._holes:
            return True
        if "return_channel" in self._lost_anywhere and finding.spot.path in self._reading_state:
            return True
        keys = _LOOKS_AT.get(finding.rule, frozenset())
        if finding.rule == "bad-expression" and not finding.related:
            keys = frozenset()  # it cannot be read, whatever outputs there are
        return any(
            not keys.isdisjoint(self._lost.get(entity, ())) or (entity and entity in self._holes)
            for entity in self._concerned(finding)
        )

    def _misses_one_inside(self, finding: Finding) -> bool:
        """Whether it is about an entry that stands in another one, or what that refers to."""
        if finding.rule != "unknown-reference":
            return finding.rule == "unused-role"
        name: Any = finding.spot.token or self._subject.data
        for step in () if finding.spot.token else finding.spot.path:
            name = name[step]
        return name in self._inside

    def _lose(self, path: Path, key: str) -> None:
        self._lost.setdefault(entity_of(path), set()).add(key)
        self._lost_anywhere.add(key)

    def _is_told(self, spot: Spot) -> bool:
        if (spot.path, spot.token) in self._spots or (spot.path, None) in self._spots:
            return True
        return any(spot.path[:length] in self._told for length in range(1, len(spot.path) + 1))

    def _concerned(self, finding: Finding) -> Iterator[Path]:
        """The paths of all that a finding speaks of; () is the run."""
        yield ()
        if finding.rule == "no-capable-role":
            yield from (entity for entity in self._lost if entity[:1] == ("roles",))
        for spot in (finding.spot, *finding.related):
            entity = entity_of(spot.path)
            yield entity
            if entity in self._nodes:
                yield from _behind(self._nodes[entity])
            for node in self._mentioned.get(spot.path, ()):
                yield node.path
                yield from _behind(node)
            yield from self._parties(entity)
            if spot.path[-1:] == ("owner",):
                yield ("work_items", spot.token or "")

    @cached_property
    def _nodes(self) -> "Mapping[Path, Node]":
        return {node.path: node for node in self._subject.topology.nodes.values()}

    @cached_property
    def _mentioned(self) -> "Mapping[Path, list[Node]]":
        """The items that each text refers to."""
        topology = self._subject.topology
        found: dict[Path, list[Node]] = {}
        for mention in topology.mentions.all():
            if mention.root == "items" and mention.name in topology.nodes:
                found.setdefault(mention.path, []).append(topology.nodes[mention.name])
        return found

    @cached_property
    def _reading_state(self) -> frozenset[Path]:
        """The texts that refer to a state key, which any item could return to."""
        mentions = self._subject.topology.mentions.all()
        return frozenset(mention.path for mention in mentions if mention.root == "state")

    def _parties(self, entity: Path) -> Iterator[Path]:
        """The roles of a contract."""
        if entity[:1] == ("delegations",):
            contract = self._subject.topology.contracts.get(str(entity[1]))
            agents = (contract.delegator, contract.delegate) if contract is not None else ()
            yield from (agent.path for agent in agents if agent is not None)


_ABOUT_NAMES = ("unknown-reference", "bad-expression")
"""Rules about names, of which any may be in what its reader left out of a section."""


def _key_of(path: Path) -> str:
    """The key at or above the end of a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _is_guess(error: StructureError) -> bool:
    """Whether what is judged in its place may not be what was meant: a word for a list of one."""
    return error.rule in ("wrong-type", "ambiguous-scalar") and not {"text", "list"}.isdisjoint(
        error.wanted
    )


def _behind(node: "Node") -> Iterable[Path]:
    """What an item has from others: the item above, its role, its contract."""
    if node.parent is not None:
        yield node.parent.path
    if node.agent is not None:
        yield node.agent.path
    if node.contract is not None:
        yield node.contract.path
