"""Decisions of persons about items: as they are asked for, and as the events that record them."""

import json
import os
import pwd
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from forge_cli.errors import ForgeError
from forge_cli.gateway.acceptance import Acceptance, file_digest
from forge_cli.gateway.secrets import Redactor
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.multiagent.decisions import possible
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.ports import Artifacts
from forge_cli.multiagent.run import Run

SHORTEST = 8
"""Hex digits of a digest that an approval must name."""

NARROWING = ("capabilities", "scope", "writes")
"""What `--narrow` takes."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: its word, its item, and what goes with the word.

    `digest` is the beginning of the digest that is approved, in hex; `file` holds the result that
    is given; `narrow` maps parts of the grant to what is left of them.
    """

    word: str
    item: str
    digest: str = ""
    file: Path | None = None
    narrow: Mapping[str, Sequence[str]] = field(default_factory=dict)


def approval(text: str) -> Decision:
    """What `--approve ITEM@DIGEST` says; the desk says what is missing of it."""
    item, _, given = text.partition("@")
    return Decision("approve", item, given.removeprefix("sha256:").lower())


def reissue(item: str, pairs: Sequence[str]) -> Decision:
    """What `--reissue ITEM` and `--narrow KEY=VALUE` say; `ForgeError` if that is no narrowing."""
    narrow: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in NARROWING:
            raise ForgeError(
                f"--narrow '{pair}' is not KEY=VALUE with one of {', '.join(NARROWING)} as its key;"
                " write  --narrow writes=files:src/**,files:tests/**"
            )
        narrow[key] = [part for part in value.split(",") if part]
    return Decision("reissue", item, narrow=narrow)


def person() -> str:
    """Who decides: the account that runs this, which no variable can change."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"


class Desk:
    """Takes decisions on a run; each is folded into it, and returned as what is to be recorded.

    `again` is the command that makes a new run of the manifest, `where` what others need to find
    this one.
    """

    def __init__(
        self,
        run: Run,
        manifest: Mapping[str, Any],
        workspace: Path,
        artifacts: Artifacts,
        redactor: Redactor,
        again: str,
        where: str,
    ) -> None:
        self._run = run
        self._manifest = manifest
        self._redactor = redactor
        self._judge = Acceptance(run.plan, artifacts, partial(file_digest, workspace))
        self._by = person()
        self._again, self._where = again, where

    def take(self, decision: Decision, now: int) -> Event:
        """The event of a decision, applied; `ForgeError` with a sentence if it does not fit."""
        node = self._node(decision)
        body = {"decision": decision.word, "by": self._by, **self._more(decision, node)}
        event = Event(now, "item_decided", node.item_id, body=body)
        try:
            self._run.apply(event)
        except ValueError as fault:
            raise ForgeError(f"--{decision.word} {decision.item}: {fault}") from None
        return event

    def _node(self, decision: Decision) -> Node:
        node = self._run.state.nodes.get(decision.item)
        if node is None:
            raise ForgeError(f"the run has no item '{decision.item}'; {self._awaiting()}")
        if decision.word not in (open_to := possible(node)):
            if decision.word == "reissue" and open_to == ("deny",):
                raise ForgeError(self._begins_no_more(node))
            ways = f"it takes  {_options(open_to)}" if open_to else self._awaiting()
            raise ForgeError(
                f"--{decision.word} {decision.item} decides nothing: '{node.item_id}' is "
                f"{node.status}; {ways}"
            )
        return node

    def _begins_no_more(self, node: Node) -> str:
        return (
            f"--reissue {node.item_id}: its parts have ended, and nothing that has ended is begun "
            f"again; a new run keeps those that were accepted and makes the others:  {self._again} "
            f"--reuse {self._run.state.run_id}"
        )

    def _awaiting(self) -> str:
        nodes = self._run.state.open.values()
        waiting = [f"'{n.item_id}' ({_options(possible(n))})" for n in nodes if possible(n)]
        return f"a decision is awaited on {', '.join(waiting) or 'nothing'}"

    def _more(self, decision: Decision, node: Node) -> dict[str, Json]:
        if decision.word == "approve":
            return {"digest": self._approved(decision, node)}
        if decision.word == "accept":
            return self._given(decision, node)
        if decision.narrow:
            narrow: dict[str, Json] = {key: list(left) for key, left in decision.narrow.items()}
            if "capabilities" in narrow:
                narrow["actions"] = self._actions(narrow["capabilities"])
            return {"narrow": narrow}
        return {}

    def _actions(self, capabilities: Sequence[str]) -> list[str]:
        vocabulary = Vocabulary(self._manifest.get("capabilities", {}))
        return sorted(vocabulary.actions(frozenset(capabilities)))

    def _approved(self, decision: Decision, node: Node) -> str:
        awaited = node.seal.removeprefix("sha256:")
        given = decision.digest
        if len(given) < SHORTEST or not awaited.startswith(given):
            told = f"not '{given}'" if given else "which an approval names"
            name, item = f"{self._run.state.run_id}{self._where}", node.item_id
            show = f"forge show {self._run.state.run_id} {item}{self._where}"
            raise ForgeError(
                f"--approve {decision.item}: what awaits approval has the digest "
                f"{awaited[:SHORTEST]}, {told}; look at it with  {show}  "
                f"and then type  forge resume {name} --approve {item}@{awaited[:SHORTEST]}"
            )
        return node.seal

    def _given(self, decision: Decision, node: Node) -> dict[str, Json]:
        """The result in the file, judged as one of a handler is."""
        output = self._redactor.redact_json(_read(decision))
        verdict = self._judge.hold(node.item_id, node.grant.outputs, output)
        if not verdict.accepted:
            raise ForgeError(
                f"'{decision.file}' is no result of '{node.item_id}': {verdict.reason}; its keys "
                f"are {', '.join(node.grant.outputs)}"
            )
        told: dict[str, Json] = {"accepted": True, "reason": ""}
        if verdict.evidence:
            told["evidence"] = dict(verdict.evidence)
        return {"output": verdict.output, "verdict": told}


def _options(words: Sequence[str]) -> str:
    return ", ".join(f"--{word}" for word in words)


def _read(decision: Decision) -> dict[str, Json]:
    try:
        found = json.loads(Path(decision.file or "").read_bytes())
    except (OSError, ValueError, RecursionError) as fault:
        raise ForgeError(f"--accept '{decision.file}' cannot be read: {fault}") from fault
    if not isinstance(found, dict):
        raise ForgeError(f"--accept '{decision.file}' is to hold one JSON object of outputs")
    return found
