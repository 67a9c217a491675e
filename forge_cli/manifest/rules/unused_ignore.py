"""Finds `# forge: ignore[...]` comments that no warning of their line needs.

What they ignored was mended, or is on another line. The next warning there would not be seen. Told
of manifests without errors: an error may hide a warning; and not in included files: of a comment
there another manifest may have need.

Bad:
```yaml
forge: 1
work_items:
  # forge: ignore[unused-role] the night shift uses it
#                 ^^^^^^^^^^^
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
roles:
  # forge: ignore[unused-role] the night shift uses it
  builder:
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.reading.ignores import ABOUT_IGNORES, MAX_IGNORES, Ignore, silence
from forge_cli.manifest.rules import RULES
from forge_cli.manifest.subject import Subject

RULE = "unused-ignore"


def check(subject: Subject) -> Iterator[Finding]:
    """Hold each comment against what was found."""
    if any(finding.severity == "error" for finding in subject.found):
        return
    comments = subject.source.ignores[:MAX_IGNORES]
    _, silenced = silence(subject.found, comments)
    used = {(comment.place, finding.rule) for finding, comment in silenced if not comment.file}
    for comment in comments:
        for rule, place in comment.rules if comment.reason and not comment.file else ():
            if _judged(rule, subject) and (comment.place, rule) not in used:
                yield Finding(
                    RULE,
                    Spot(place=place),
                    f"nothing to ignore: line {comment.line} has no warning '{rule}'",
                    _hint(comment, rule),
                    severity="warning",
                )


def _judged(rule: str, subject: Subject) -> bool:
    """Whether the rule would have told its warnings: not one about time without a time."""
    if rule == "deadline-past" and subject.now is None:
        return False
    return rule in RULES and RULES[rule].severity == "warning" and rule not in ABOUT_IGNORES


def _hint(comment: Ignore, rule: str) -> str:
    if len(comment.rules) == 1:
        return "delete the comment"
    return f"delete '{rule}' from the comment"
