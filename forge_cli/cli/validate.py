"""`forge validate`: checks manifests and runs nothing that they name."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from forge_cli.app.validate import Report, by_file, check_file
from forge_cli.cli.arguments import read_at_once, typer_function
from forge_cli.cli.formats import Checked, load
from forge_cli.cli.spots import checkout
from forge_cli.cli.terminal import Terminal, complain, in_actions, prepare_streams, write
from forge_cli.cli.validate_options import OPTIONS, PATHS
from forge_cli.errors import ForgeError
from forge_cli.manifest.reading.discovery import STANDARD_INPUT, Selection, discover
from forge_cli.manifest.reading.projects import projects
from forge_cli.manifest.reading.source import read, read_standard_input

if TYPE_CHECKING:
    from forge_cli.app.selection import Choice
    from forge_cli.app.settings import Settings

NOTHING_TO_CHECK = 5
_TEXTS = ("full", "concise")


def validate(
    paths: list[str],
    format: str,  # noqa: A002 - the option's name
    report: tuple[tuple[str, str], ...],
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    strict: bool,
    list_files: bool,
    allow_empty: bool,
    only_manifests: bool,
    stdin_filename: str,
    max_size: int,
    now: int | None,
    color: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Check manifests; nothing that they name is run.

    Exit status: 0 no errors, 1 findings, 2 something cannot be read, 5 nothing to check.

    \b
    Examples:
      forge validate
      forge validate manifests/ --strict
      forge validate manifests/ --select unused-role,deadline-past
      forge validate manifests/ --list-files
      forge validate --format json manifests/office-research.yaml
      forge validate manifests/ --report json=findings.json --report concise=findings.txt
      cat manifests/office-research.yaml | forge validate - --stdin-filename manifests/x.yaml
    """
    prepare_streams()
    project = _project()
    selection = discover(paths or _usual(project), only_manifests)
    sources = _sources(selection, stdin_filename, max_size)
    if list_files:
        return _list(selection, sources, allow_empty)
    if report:
        from forge_cli.cli import reports as files

        files.check(report)
    reports = list(_examined(sources, now, verbose and not quiet))
    choice = _choice(select, ignore, project)
    strict = strict or (project is not None and project.strict)
    checked = _checked(selection, reports, choice, strict, quiet, allow_empty)
    unwritten = list(files.save(report, checked, selection.files)) if report else []
    write(sys.stdout, _shown(format, checked, Terminal.of(sys.stdout, color)))
    for sentence in (*checked.sentences, *unwritten):
        complain(sentence)
    return 2 if unwritten else checked.exit_code


def run_at_once(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, PATHS, words)
    return None if values is None else validate(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, PATHS, validate)


def _project() -> "Settings | None":
    """What the nearest project with a table for forge says."""
    for path, data in projects():
        from forge_cli.app.settings import settings

        found = settings(path, data)
        if found is not None:
            return found
    return None


def _usual(project: "Settings | None") -> Sequence[str]:
    """The paths that are meant where none is given."""
    return (os.curdir,) if project is None or project.manifests is None else project.manifests


def _sources(
    selection: Selection, stdin_filename: str, max_size: int
) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file; one that cannot be read becomes a refusal of the selection."""
    for path in selection.files:
        try:
            if path == STANDARD_INPUT:
                yield stdin_filename, read_standard_input(stdin_filename, max_size)
            else:
                yield path, read(path, max_size)
        except ForgeError as error:
            selection.refusals.append(str(error))


def _examined(
    sources: Iterable[tuple[str, bytes]], now: int | None, verbose: bool
) -> Iterator[Report]:
    moment = time.time_ns() // 1_000_000 if now is None else now
    for name, data in sources:
        report = check_file(name, data, moment)
        if verbose:
            from forge_cli.cli.figures import count

            names = ", with ".join((name, *report.others))
            complain(f"checked {names}: {count(len(report.findings), 'finding')}", prefix="")
        yield report


def _shown(form: str, checked: Checked, terminal: Terminal) -> Iterable[str]:
    """What is printed: in GitHub Actions, what is for people is also shown beside the lines."""
    lines = load(form).write(checked, terminal)
    if form not in (*_TEXTS, "github") or not in_actions(os.environ):
        return lines
    from forge_cli.cli.annotated import annotated, summarize

    summarize(checked)
    return annotated(lines, checked, terminal) if form in _TEXTS else lines


def _list(selection: Selection, sources: Iterable[tuple[str, bytes]], allow_empty: bool) -> int:
    """Names the files that can be read, included ones too, and tells of the others."""
    terminal = Terminal.of(sys.stdout)
    names: dict[str, None] = {}
    for name, data in sources:
        names[name] = None
        if b"include" in data:
            names |= dict.fromkeys(check_file(name, data).others)
    write(sys.stdout, map(terminal.safe, names))
    refusals, code = _refused(selection, allow_empty)
    for sentence in refusals:
        complain(sentence)
    return code


def _refused(selection: Selection, allow_empty: bool) -> tuple[Sequence[str], int]:
    """What could not be checked, as sentences, and the exit code that follows from it."""
    if selection.refusals:
        return selection.refusals, 2
    if selection.files or allow_empty:
        return (), 0
    sentence = "nothing to check: no manifest was found; name one, or --allow-empty"
    return (sentence,), NOTHING_TO_CHECK


def _checked(
    selection: Selection,
    reports: Sequence[Report],
    choice: "Choice | None",
    strict: bool,
    quiet: bool,
    allow_empty: bool,
) -> Checked:
    files = by_file(reports)
    told = tuple(map(choice.told, files) if choice else files)
    refusals, code = _refused(selection, allow_empty)
    code = code or int(any(report.fails(strict) for report in told))
    return Checked(told, tuple(refusals), code, strict, quiet, checkout(os.environ))


def _choice(
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    project: "Settings | None",
) -> "Choice | None":
    """The rules that the command line names, else the project; None if neither names any."""
    selected: tuple[str, ...] = sum(select, ()) or (project.select if project else ())
    ignored: tuple[str, ...] = sum(ignore, ()) or (project.ignore if project else ())
    if not selected and not ignored:
        return None
    from forge_cli.app.selection import Choice

    return Choice(selected, ignored)
