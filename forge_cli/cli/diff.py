"""`forge diff`: what a changed manifest means, and which versions must rise for it."""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.diff import Difference, against, between
from forge_cli.cli.actions import quoted
from forge_cli.cli.diff_documents import diff_json, diff_markdown
from forge_cli.cli.diff_sarif import diff_sarif
from forge_cli.cli.diff_text import diff_lines
from forge_cli.cli.formats import Checked
from forge_cli.cli.formats.full import write as write_findings
from forge_cli.cli.options import Color, one_of, says_less, says_more
from forge_cli.cli.terminal import Terminal, complain, write

Writer = Callable[[Difference, Terminal], Iterable[str]]

_DOCUMENTS: Mapping[str, Writer] = {
    "json": diff_json,
    "sarif": diff_sarif,
    "markdown": diff_markdown,
}
_FORMATS = ("text", *_DOCUMENTS)


def diff(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[OLD NEW | MANIFEST]",
            help="Two files; with --against one, else the only *.forge.yaml here.",
            show_default=False,
        ),
    ] = None,
    ref: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="REF", help="Compare with the file at this git commit instead."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            callback=one_of(*_FORMATS),
            metavar="FORMAT",
            help=f"{', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}.",
        ),
    ] = "text",
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only the verdict on the versions.")] = False,
    verbose: Annotated[bool, says_more("Where each change is in the other file as well.")] = False,
) -> int:
    """Compare two manifests by what they mean: breaking, behavioural and compatible changes.

    Exit status: 0 nothing changed or the versions show it, 1 a version must rise, 2 not usable.

    \b
    Examples:
      sed 's/^deadline: .*/deadline: 5m/' manifests/software-delivery.yaml > manifests/new.yaml
      sed -i 's/^version: .*/version: 1.1.0/' manifests/new.yaml
      forge diff manifests/software-delivery.yaml manifests/new.yaml
      forge diff manifests/software-delivery.yaml manifests/new.yaml --format markdown
    """
    told = _told(manifests or [], ref)
    if told.faulty:
        return _refuse(told, color)
    terminal = Terminal.of(sys.stdout, color)
    if form == "text":
        shown = map(terminal.fit, diff_lines(told, terminal, quiet, verbose))
        lines: Iterable[str] = quoted(shown)
    else:
        lines = _DOCUMENTS[form](told, terminal)
    write(sys.stdout, lines)
    return int(bool(told.missing))


def _told(manifests: list[Path], ref: str | None) -> Difference:
    if ref is None:
        if len(manifests) != 2:
            raise typer.BadParameter(
                f"two manifests are compared, and {len(manifests)} "
                f"{'is' if len(manifests) == 1 else 'are'} named; write  forge diff OLD NEW  or"
                "  forge diff --against REF MANIFEST"
            )
        return between(*manifests)
    if len(manifests) > 1:
        raise typer.BadParameter("with --against, one manifest is compared with what it was")
    return against(ref, manifests[0] if manifests else only_manifest(Path(), "forge diff"))


def _refuse(told: Difference, color: str) -> int:
    terminal = Terminal.of(sys.stderr, color)
    write(sys.stderr, quoted(write_findings(Checked(told.faulty), terminal)))
    names = " and ".join(f"'{report.path}'" for report in told.faulty)
    verb = "is" if len(told.faulty) == 1 else "are"
    complain(f"{names} {verb} not valid, so nothing was compared; mend what is told above")
    return 2
