"""Acceptance: a result is held against schema, criteria and evidence before it counts."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from forge_cli.canonical import canonical, digest
from forge_cli.gateway.patience import PATIENCE
from forge_cli.multiagent.budget import DIMENSIONS
from forge_cli.multiagent.patterns import resolve
from forge_cli.multiagent.plan import Item, Json, Plan
from forge_cli.multiagent.ports import Artifacts, Verdict
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.multiagent.values import noted

INLINE_LIMIT = 256 * 1024
"""Bytes of canonical JSON that an output may have and still travel inline."""

SMALL, SHORT = 16, 2_048
"""So many texts of so many characters, at six bytes each, are within the limit."""

_FIXED = frozenset({bool, int, float})

_SAFE = frozenset({bool, type(None)})
"""Types of which every value is I-JSON."""

MAX_INTEGER = 2**53 - 1

FileDigest = Callable[[str], str | None]
"""The digest of a file of the workspace, or None if it is missing or empty."""


class Acceptance:
    """The judge of one run: what its plan asks of each item, and where large values are kept."""

    def __init__(self, plan: Plan, artifacts: Artifacts, file_digest: FileDigest) -> None:
        self._plan = plan
        self._artifacts = artifacts
        self._file_digest = file_digest

    def judge(self, turn: Turn, result: TurnResult) -> Verdict:
        """Hold a result that is done against the contract of its item."""
        return self.hold(turn.item_id, turn.grant.outputs, dict(result.output or {}))

    def hold(self, item_id: str, keys: tuple[str, ...], output: dict[str, Json]) -> Verdict:
        """Hold an output with these keys, whoever gives it, against the contract of the item."""
        item = self._item(item_id)
        fault = fault_of(self._plan, item, keys, output)
        if fault:
            return Verdict(False, fault, _recordable(output))
        evidence: dict[str, str] = {}
        for name in item.evidence:
            found = self._evidence(name, output)
            if found is None:
                return Verdict(False, f"evidence {name!r} is missing or empty", output)
            evidence[name] = found
        return Verdict(True, "", self._inline(output), evidence)

    def _item(self, item_id: str) -> Item:
        # What an item asked for is held against the keys of its result, and nothing else.
        return self._plan.planned(item_id) or Item(item_id)

    def _evidence(self, name: str, output: Mapping[str, Json]) -> str | None:
        if name in output:
            value = output[name]
            return None if value is None or value == "" else digest(value)
        return self._file_digest(name.removeprefix("files:"))

    def _inline(self, output: dict[str, Json]) -> Mapping[str, Json]:
        """The output with its largest values kept as artifacts, until the rest is small enough."""
        if _is_small(output):
            return output
        texts = {key: canonical(value).encode() for key, value in output.items()}
        total = sum(map(len, texts.values()))
        for key in sorted(texts, key=lambda k: (-len(texts[k]), k)):
            if total <= INLINE_LIMIT:
                break
            kept = self._artifacts.put(texts[key])
            output[key] = {"artifact": kept, "bytes": len(texts[key])}
            total -= len(texts[key])
        return output


def _recordable(output: dict[str, Json]) -> Mapping[str, Json]:
    """A rejected output as the log can hold it: nothing of one that is no JSON or names artifacts.

    What stands in the log in the form of a reference is forge's own word that the bytes are kept.
    """
    return {} if unsafe(output) or any(noted(output)) else output


def _is_small(output: Mapping[str, Json]) -> bool:
    """Whether a look at the values tells that they travel inline: most outputs are a few words."""
    return len(output) <= SMALL and all(
        len(value) <= SHORT if isinstance(value, str) else value is None or type(value) in _FIXED
        for value in output.values()
    )


def fault_of(
    plan: Plan,
    item: Item,
    keys: tuple[str, ...],
    output: Mapping[str, Json],
    seconds: float = PATIENCE,
) -> str:
    """What is wrong with an output, or nothing: values, keys, proposal, schema, criteria.

    An output that its schema, or its criteria, cannot be held against within so many seconds is
    wrong.
    """
    return (
        unsafe(output)
        or _unnamed(keys, output)
        or keys_fault(keys, output)
        or _reference_fault(output)
        or _proposal_fault(plan, item, output)
        or _schema_fault(plan, item, output, seconds)
        or _criteria_fault(item, output, seconds)
    )


def unsafe(value: Json, where: str = "the output") -> str:
    """Why a value is not I-JSON (RFC 7493), or nothing."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return "" if abs(value) <= MAX_INTEGER else f"{where} holds {value}, which is beyond 2^53"
    if isinstance(value, float):
        finite = value - value == 0
        return "" if finite else f"{where} holds {value}, which is not a finite number"
    if isinstance(value, str):
        return _text_fault(value, where)
    if isinstance(value, dict):
        return next(_faults_of_members(value, where), "")
    if isinstance(value, list | tuple):
        found = (unsafe(element, where) for element in value)
        return next((fault for fault in found if fault), "")
    return f"{where} holds a {type(value).__name__}, which JSON has no form for"


def _faults_of_members(value: Mapping[Any, Json], where: str) -> Iterator[str]:
    for key, member in value.items():
        if type(key) is str and key.isascii() and type(member) in _SAFE:
            continue
        if not isinstance(key, str):
            yield f"{where} has the key {key!r}, which is not text"
        elif fault := _text_fault(key, where) or unsafe(member, where):
            yield fault


def _text_fault(text: str, where: str) -> str:
    if text.isascii():
        return ""
    bad = next((c for c in text if 0xD800 <= ord(c) <= 0xDFFF), None)
    return "" if bad is None else f"{where} holds the lone surrogate U+{ord(bad):04X}"


def _unnamed(keys: tuple[str, ...], output: Mapping[str, Json]) -> str:
    """What is wrong with an output of which nobody has said what it holds."""
    if keys != ("result",) or "result" in output or not output:
        return ""
    names = ", ".join(output)
    return f"{keys_fault(keys, output)}: write  outputs: [{names}]  in its role"


def keys_fault(keys: tuple[str, ...], output: Mapping[str, Json]) -> str:
    if output.keys() == set(keys):
        return ""
    missing = [repr(k) for k in keys if k not in output]
    surplus = [repr(k) for k in sorted(output.keys() - set(keys))]
    parts = [f"lacks {', '.join(missing)}"] if missing else []
    parts += [f"has {', '.join(surplus)} beyond its contract"] if surplus else []
    return f"the output {' and '.join(parts)}"


def _reference_fault(output: Mapping[str, Json]) -> str:
    """Only forge itself says that a value is kept as an artifact."""
    forged = next((key for key, value in output.items() if any(noted(value))), None)
    return (
        ""
        if forged is None
        else f"the output {forged!r} has the form of a reference to an artifact"
    )


def _proposal_fault(plan: Plan, item: Item, output: Mapping[str, Json]) -> str:
    parent = plan.items.get(item.parent or "")
    if parent is None or parent.pattern != "resolve":
        return ""
    return resolve.fault(output)


def _schema_fault(plan: Plan, item: Item, output: Mapping[str, Json], seconds: float) -> str:
    if item.completion is None:
        return ""
    from forge_cli.gateway.schemas import violation

    fault = violation(plan.schemas, item.completion, output, seconds)
    return f"{item.completion} does not hold: {fault}" if fault else ""


def _criteria_fault(item: Item, output: Mapping[str, Json], seconds: float) -> str:
    if not item.criteria:
        return ""
    from forge_cli.gateway.expressions import ExpressionError, holds

    end = monotonic() + seconds
    for criterion in item.criteria:
        try:
            met = holds(criterion, output, end - monotonic())
        except ExpressionError as fault:
            return f"criterion {criterion!r} cannot be evaluated: {fault}"
        if not met:
            return f"criterion {criterion!r} is not met"
    return ""


def usage_fault(usage: Mapping[str, Any] | None) -> str:
    """What is wrong with usage as a handler reports it, or nothing."""
    for dimension, amount in (usage or {}).items():
        if dimension not in DIMENSIONS:
            return f"it reports usage of {dimension!r}, which is none of {', '.join(DIMENSIONS)}"
        if type(amount) is not int or not 0 <= amount <= MAX_INTEGER:
            return f"it reports {amount!r} {dimension}, which is no whole number from 0 to 2^53"
    return ""


def known_usage(usage: Mapping[str, Any] | None) -> dict[str, int] | None:
    """What of such a report is sound all the same; None for nothing of it."""
    reported = (usage or {}).items()
    return {name: amount for name, amount in reported if not usage_fault({name: amount})} or None


def file_digest(folder: Path, name: str) -> str | None:
    """The digest of a file of the folder; None where there is no file, or none with content.

    A link that leads out of the folder leads to no file of it.
    """
    try:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            return None
        # Not waiting for whoever might write into it: a named pipe is no evidence.
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
