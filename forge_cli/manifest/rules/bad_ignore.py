"""Finds `# forge: ignore[...]` comments that ignore nothing as they stand.

Such a comment names the rules and says why: `# forge: ignore[unused-role] the night shift uses it`.
It stands at the end of the line that a warning is about, or alone on the line above. Only warnings
can be ignored: an error would stop the run. Without a reason nothing is ignored.

Bad:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [builder]}
    handler: {kind: command, argv: [bin/lead]}
  builder:
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
work_items:
  build: {role: lead}    # forge: ignore[dependency-cycle] it worked so far
#                                        ^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  builder:    # forge: ignore[unused-role] the night shift uses it
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Place, Spot
from forge_cli.manifest.naming import shown
from forge_cli.manifest.reading.ignores import ABOUT_IGNORES, MAX_IGNORES, Ignore
from forge_cli.manifest.rules import RULES
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "bad-ignore"


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the rules and the reason of each comment."""
    comments = subject.source.ignores
    for comment in comments[MAX_IGNORES : MAX_IGNORES + 1]:
        message = f"more than {MAX_IGNORES:,} such comments; from here on none is looked at"
        yield _finding(comment, comment.place, message, "mend what they ignore")
    for comment in comments[:MAX_IGNORES]:
        if not comment.rules:
            message = "this comment names no rule to ignore"
            yield _finding(comment, comment.place, message, _typed(comment))
        elif not comment.reason:
            message = "this comment gives no reason, so it ignores nothing"
            yield _finding(comment, comment.place, message, _typed(comment))
        for rule, place in comment.rules:
            yield from _rule(comment, rule, place)


def _rule(comment: Ignore, rule: str, place: Place) -> Iterator[Finding]:
    if rule not in RULES:
        meant = suggest(rule, tuple(RULES))
        note = f"did you mean '{meant.word}'?" if meant else ""
        hint = f"can be ignored: {', '.join(_ignorable())}"
        yield _finding(comment, place, f"there is no rule '{shown(rule)}'", hint, note)
    elif rule in ABOUT_IGNORES:
        message = f"'{rule}' is about these comments, and none of them can ignore it"
        yield _finding(comment, place, message, "mend the comment that it tells of")
    elif RULES[rule].severity == "error":
        message = f"'{rule}' is an error; only warnings can be ignored"
        yield _finding(comment, place, message, "delete it here, and mend what that rule tells")


def _typed(comment: Ignore) -> str:
    rules = ", ".join(shown(rule) for rule, _ in comment.rules) or "unused-role"
    return f"write  # forge: ignore[{rules}] and here why"


def _ignorable() -> list[str]:
    return [name for name, rule in RULES.items() if rule.severity == "warning"]


def _finding(comment: Ignore, place: Place, message: str, hint: str, note: str = "") -> Finding:
    spot = Spot(place=place, note=note, file=comment.file)
    return Finding(RULE, spot, message, hint, severity="warning")
