"""What `forge validate` adds in GitHub Actions: annotations behind the text, the job's summary."""

import os
from collections.abc import Iterable, Iterator, Mapping

from forge_cli.app.validate import Report
from forge_cli.cli.actions import add_to_summary, quoted
from forge_cli.cli.formats import Checked, github
from forge_cli.cli.formats.concise import one_line, where
from forge_cli.cli.formats.full import summary
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding

MOST_ANNOTATIONS = 10
"""Of errors and of warnings that GitHub shows for a step; further ones it drops without a word."""

_MOST_ROWS = 200
_PLAIN = Terminal()
_MARKUP = {ord(sign): f"&#{ord(sign)};" for sign in '\\`*_~{}[]<>()#+!|&@:$^="'}
"""Whatever could be Markdown, HTML or a mention, as character references."""


def annotated(text: Iterable[str], checked: Checked, terminal: Terminal) -> Iterator[str]:
    """The text, in which no foreign word is taken for a command, and then the annotations."""
    yield from quoted(text) if any(each.findings for each in checked.reports) else text
    left = {"error": MOST_ANNOTATIONS, "warning": MOST_ANNOTATIONS}
    for command in github.write(checked, terminal):
        level = command[2:].partition(" ")[0]
        left[level] -= 1
        if left[level] >= 0:
            yield command


def summarize(checked: Checked, environ: Mapping[str, str] = os.environ) -> None:
    """Add what was found to the job's summary; with `quiet` nothing if that is nothing."""
    if checked.quiet and not checked.sentences and not any(r.findings for r in checked.reports):
        return
    add_to_summary(environ, "\n".join(_markdown(checked)) + "\n\n")


def _markdown(checked: Checked) -> Iterator[str]:
    yield f"### forge validate\n\n{summary(checked.reports)}"
    for sentence in checked.sentences:
        yield f"\nerror: {_escaped(sentence)}"
    found = [(report, finding) for report in checked.reports for finding in report.findings]
    if found:
        yield "\n| severity | place | rule | message |\n|---|---|---|---|"
        yield from (_row(*each) for each in found[:_MOST_ROWS])
    if found[_MOST_ROWS:]:
        yield f"\n{len(found) - _MOST_ROWS} more are in the log."


def _row(report: Report, finding: Finding) -> str:
    place = where(report.path, finding.spot, _PLAIN)
    cells = (finding.severity, place, finding.rule, finding.message)
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    return one_line(_PLAIN, text).translate(_MARKUP)
