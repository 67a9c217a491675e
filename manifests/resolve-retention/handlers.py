"""Proposals about retention, and the rule that follows from the one that was chosen."""


def propose(turn):
    """The proposal that this role was told to stand for, with what speaks for it."""
    return dict(turn.inputs)


def draw_up(turn):
    """The rule in a sentence, and whose proposal it was."""
    chosen = turn.inputs["chosen"]
    years, then = chosen["value"]["years"], chosen["value"]["then"]
    rule = f"Records are kept for {years} years and then {then}, as {chosen['winner']!r} proposed."
    return {"rule": rule}
