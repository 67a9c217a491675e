"""What a seed stands for: a plan, accidents, what handlers answer and what persons decide."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from forge_cli.engines.simulation.engine import Response
from forge_cli.engines.simulation.script import AT_APPENDS, Accident, Fault, Reply
from forge_cli.multiagent.decisions import possible
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.multiagent.plans import SECOND, TOPICS, chance, random_plan
from tests.simulation.broken import BrokenError
from tests.simulation.turns import undoes

ACCIDENTS: tuple[Accident, ...] = (
    "crash-before",
    "crash-after",
    "crash-after",
    "disk-full",
    "stall",
    "rival",
    "robber",
    "jump",
    "signal",
)
SPANS = (1 * SECOND, 5 * SECOND, 61 * SECOND, 200 * SECOND)
KINDS = ("error", "timeout", "invalid-output", "cancelled", "deadline", "no such kind")
PATHS = ("src/a", "docs/a", "etc/a", ".env")
RISKS = ("read_only", "reversible", "irreversible")
PATIENT = 6
"""Epochs after which persons decline whatever is asked of them, so that a run comes to an end."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One world to be played; the same seed makes the same handlers and persons."""

    seed: int
    plan: Plan
    faults: tuple[Fault, ...] = ()
    strays: bool = True


def scenario(seed: int) -> Scenario:
    """The scenario of that seed."""
    dice = Random(f"plan {seed}")
    number = dice.choice((0, 1, 1, 2, 3, 4))
    faults = tuple(_fault(dice) for _ in range(number))
    return Scenario(seed, random_plan(dice), faults, chance(dice, 60))


def _fault(dice: Random) -> Fault:
    kind = dice.choice(ACCIDENTS)
    if kind in AT_APPENDS:
        return Fault(kind, dice.randint(1, 12), dice.choice(SPANS))
    return Fault(
        kind,
        dice.choice((0, dice.randrange(20 * SECOND), dice.randrange(100 * SECOND))),
        dice.choice(SPANS),
    )


def token(attempt: str, number: int) -> str:
    """What stands in everything that a turn answers, and in nothing else."""
    return f"{attempt}#{number}"


@dataclass(slots=True)
class Players:
    """Answers each turn, and decides, by the seed and by what is asked, not by when it is."""

    scenario: Scenario
    refused: int = field(default=0)

    def reply(self, turn: Turn) -> Reply:
        """How the call of that turn goes."""
        dice = Random(f"{self.scenario.seed} {turn.attempt_id} {turn.number}")
        result = _result(dice, turn)
        if effects := _denials(turn):
            result = replace(result, effects=effects)
        if turn.group:
            posts = [_post(dice, turn, number) for number in range(dice.randrange(4))]
            result = replace(result, posts=tuple(posts))
        after = dice.choice((0, 0, dice.randrange(SECOND), dice.randrange(9 * SECOND), 40 * SECOND))
        stopped = TurnResult.failed(
            "cancelled",
            f"stopped {token(turn.attempt_id, turn.number)}",
            usage=dice.choice((None, {})),
        )
        reply = Reply(
            result,
            after,
            grace=dice.choice((0, 0, 2 * SECOND, None)),
            stopped=dice.choice((stopped, stopped, None)),
            delay=dice.choice((0, 0, 0, dice.randrange(9 * SECOND))),
            orphan=chance(dice, 25),
            breaks=chance(dice, 2),
        )
        if not self.scenario.strays:
            return reply
        echo = dice.choice((None, None, 0, dice.randrange(20 * SECOND)))
        return replace(reply, echo=echo, strays=_strays(dice, turn))

    def decide(self, run: Run, now: int) -> Sequence[Event]:
        """Decide on some of what awaits it, and on one item at least."""
        dice = Random(f"{self.scenario.seed} decides {run.state.epoch}")
        open_to = [node for node in run.state.open.values() if possible(node)]
        chosen = dice.sample(open_to, dice.randint(1, len(open_to)))
        if run.state.epoch > PATIENT:
            chosen = open_to
        events = []
        for node in chosen:
            word = dice.choice(possible(node)) if run.state.epoch <= PATIENT else "deny"
            if chance(dice, 30):
                self._try_unfit(run, node, now)
            body = {"decision": word, "by": "ann", **_more(dice, word, node)}
            event = Event(now, "item_decided", node.item_id, body=body)
            run.apply(event)
            events.append(event)
        return events

    def _try_unfit(self, run: Run, node: Node, now: int) -> None:
        """A decision that does not fit is refused, and changes nothing."""
        unfit: tuple[dict[str, Any], ...] = (
            {"decision": "approve", "digest": "sha256:0"},
            {"decision": "reissue", "narrow": {"scope": ["files:etc/**"]}},
            {"decision": "reissue", "narrow": {"capabilities": ["network"]}},
            {"decision": "accept", "output": {}, "verdict": {"accepted": False, "reason": "no"}},
            {"decision": "delegate"},
        )
        for body in unfit:
            try:
                run.apply(Event(now, "item_decided", node.item_id, body={"by": "eve", **body}))
            except ValueError:
                self.refused += 1
            else:
                raise BrokenError("G1", f"{body} was taken for {node.item_id!r}")


def _more(dice: Random, word: str, node: Node) -> dict[str, Any]:
    if word == "approve":
        return {"digest": node.seal}
    if word == "accept":
        digests = {name: f"sha256:{name}" for name in node.item.evidence}
        output = {key: "read_only" if key == "risk" else ["given"] for key in node.grant.outputs}
        return {"output": output, "verdict": {"accepted": True, "reason": "", "evidence": digests}}
    if word == "reissue" and node.pattern == "turn" and chance(dice, 50):
        fewer = list(node.grant.writes[:1])
        return {"narrow": {"scope": fewer, "writes": fewer, "capabilities": [], "actions": []}}
    return {}


def _result(dice: Random, turn: Turn) -> TurnResult:
    """What a call comes to. Most handlers keep to their slice, some use more, a few lie."""
    mark = token(turn.attempt_id, turn.number)
    used = {dimension: dice.randint(0, amount) for dimension, amount in turn.budget.items()}
    usage: Any = dice.choice([used] * 12 + [None, {"tokens": 5}, {"tokens": -1}, {"luck": 1}])
    way = dice.choice(("done",) * 8 + ("failed", "failed", "rejected", "yields", "yields"))
    # From dice of their own, so that all else is as it was without them.
    more = Random(mark)
    if chance(more, 30) and not undoes(turn):
        return TurnResult.yields([mark], requests=_requests(more), usage=usage)
    if way == "failed":
        return TurnResult.failed(
            dice.choice(KINDS), f"exit status 1 {mark}", partial=[mark], usage=usage
        )
    if way == "rejected":
        return TurnResult.done({"nothing": mark}, usage=usage)
    if way == "yields":
        said = turn.state if isinstance(turn.state, list) else []
        state = dice.choice((mark, [*said, mark], [mark]))
        return TurnResult.yields(state, usage=usage)
    value = ["same", mark, "same"] if chance(dice, 30) else [mark]
    output = {key: dice.choice(RISKS) if key == "risk" else value for key in turn.grant.outputs}
    return TurnResult.done(output, usage=usage)


def _denials(turn: Turn) -> tuple[Any, ...]:
    """What is denied in a turn: to a call of a tool, and to who reads and writes by itself."""
    # From dice of their own, so that all else is as it was without them.
    dice = Random(f"denied {token(turn.attempt_id, turn.number)}")
    if undoes(turn) or not chance(dice, 30 if turn.handler_kind == "tool" else 50):
        return ()
    if turn.handler_kind == "tool" or chance(dice, 20):
        return (_denial("write_file", "file-write", dice.choice(PATHS)),)
    return (_denial("read_file", "file-read", dice.choice(PATHS)),) * dice.randint(2, 3)


def _denial(tool: str, action: str, path: str) -> Any:
    return {"tool": tool, "denied": f"{path!r}", "action": action, "touches": f"files:{path}"}


def _requests(dice: Random) -> tuple[Any, ...]:
    """What a turn asks for; much of it is refused."""
    return tuple(_request(dice) for _ in range(dice.randint(1, 3)))


def _request(dice: Random) -> Any:
    asked = _asked(dice)
    kinds = ("delegate_subagent",) * 4 + ("decompose_task", "decompose_task", "write_file", "fly")
    tool = dice.choice(kinds)
    if tool == "delegate_subagent":
        arguments = {
            "name": dice.choice(("frugal", "frugal", "dear", "boss")),
            "task": "t",
            **asked,
        }
        return {"tool": tool, "arguments": arguments}
    if tool == "decompose_task":
        role = {"role": "frugal"} if chance(dice, 30) else {}
        steps = [{"goal": f"s{n}", **role, **asked} for n in range(dice.randint(1, 2))]
        return {"tool": tool, "arguments": {"steps": steps}}
    return {"tool": tool, "arguments": {"path": "src/a", "content": ""}}


def _asked(dice: Random) -> dict[str, Any]:
    words: tuple[list[str], ...] = ([], [], ["read"], ["read"], ["write"], ["network"])
    asked: dict[str, Any] = {"capabilities": dice.choice(words)}
    if chance(dice, 40):
        asked["scope"] = dice.choice((["files:src/**"], ["files:docs/x/**"], ["files:etc/**"], []))
    if chance(dice, 30):
        asked["budget"] = {"tokens": dice.randrange(4)}
    return asked


def _post(dice: Random, turn: Turn, number: int) -> Any:
    """What a turn posts; some of it is refused."""
    text = f"{token(turn.attempt_id, turn.number)} post {number}"
    post: dict[str, Any] = {"text": text, "tags": dice.sample(TOPICS, dice.randrange(3))}
    if turn.group and turn.group["pattern"] == "broadcast":
        post["channel"] = dice.choice(TOPICS)
    return dice.choice([post] * 9 + [text, {**post, "from": "run"}, {**post, "channel": "no"}])


def _strays(dice: Random, turn: Turn) -> tuple[tuple[int, Response], ...]:
    """Responses that answer nothing: stale, from others, of attempts that never were."""
    asked = f"{turn.role_id}#{turn.item_id}"
    number = 1 if undoes(turn) else int(turn.attempt_id.rpartition("/")[2])
    false = TurnResult.done({key: ["false"] for key in turn.grant.outputs}, usage={})
    known = [
        Response(f"other#{turn.item_id}", turn.attempt_id, turn.number, false),
        Response(f"{turn.role_id}#other", turn.attempt_id, turn.number, false),
        Response(asked, f"r/{turn.item_id}/{number - 1}", turn.number, false),
        Response(asked, f"r/{turn.item_id}/99", turn.number, false),
        Response(asked, "r/nothing/1", 1, false),
        Response(asked, "", 1, false),
    ]
    times = [dice.randrange(10 * SECOND) for _ in range(dice.choice((0, 0, 1, 2)))]
    return tuple((time, dice.choice(known)) for time in times)
