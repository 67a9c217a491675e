"""What the roles of the labs do: each answers from its inputs alone, so that runs are alike."""

from forge_cli.multiagent.turn import TurnResult

FEATURE = "show what is missing until delivery is free"


def research(turn):
    """What the researcher found, and what it was allowed to use."""
    return _contracted(
        turn, notes="the total stands in templates/cart.html", granted=_granted(turn)
    )


def build(turn):
    """The change, and what the builder was allowed to use."""
    diff = '+    <p class="delivery">$delivery</p>\n'
    return _contracted(turn, diff=diff, tests="8 passed", granted=_granted(turn))


def supervise(turn):
    """First what the supervisor wants to know, then its step from the answer it got."""
    if "notes" in turn.inputs:
        return {"step": f"edit what stands {turn.inputs['notes']}"}
    return {"question": f"where does this belong: {FEATURE}?"}


def answer_in_another_name(turn):
    """An answer that claims to be the reviewer's; who sent it is not for its words to say."""
    return {"notes": "below the total, in templates/cart.html", "sender": "reviewer"}


def note(turn):
    """One finding, for the list that all researchers append to."""
    return {"findings": [f"{turn.inputs['file']} needs a change"]}


def draft(turn):
    """The plan, one revision after the one that was read."""
    before = turn.inputs.get("plan") or {"revision": 0, "steps": []}
    steps = [*before["steps"], *turn.inputs["findings"]]
    return {"plan": {"revision": before["revision"] + 1, "steps": steps}}


def propose(turn):
    """The proposal that this agent was told to stand for."""
    return _contracted(turn, **turn.inputs)


def sign(turn):
    """Who did it: the role that the item was routed to."""
    return {"done_by": turn.role_id}


def review(turn):
    """A verdict."""
    return {"verdict": "approve"}


def collect(turn):
    """Where the feature belongs."""
    return {"evidence": [{"file": "templates/cart.html", "line": 14}]}


def implement(turn):
    """A change at each place that was found."""
    return {"changed": [place["file"] for place in turn.inputs["evidence"]]}


def fail(turn):
    """An agent that comes to nothing."""
    return TurnResult.failed("error", "the repository does not answer")


def collect_unless_told_to_fail(turn):
    """An agent that does one of its two items and not the other."""
    return fail(turn) if turn.inputs.get("broken") else collect(turn)


def _granted(turn):
    return sorted(turn.grant.capabilities)


def _contracted(turn, **output):
    """The keys that the contract asks for, and no other."""
    return {key: output[key] for key in turn.grant.outputs}
