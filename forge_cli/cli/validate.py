"""`forge validate`: checks manifests and runs nothing that they name."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from forge_cli.app.validate import Report, by_file, check_file
from forge_cli.cli.arguments import (
    COLOR,
    QUIET,
    VERBOSE,
    Argument,
    Option,
    one_of,
    read_at_once,
    typer_function,
)
from forge_cli.cli.formats import FORMATS, Checked, load
from forge_cli.cli.manifest_options import NOW
from forge_cli.cli.spots import checkout
from forge_cli.cli.terminal import Terminal, complain, in_actions, prepare_streams, write
from forge_cli.errors import ForgeError
from forge_cli.manifest.reading.discovery import STANDARD_INPUT, Selection, discover
from forge_cli.manifest.reading.projects import projects
from forge_cli.manifest.reading.source import MAX_SIZE, read, read_standard_input

if TYPE_CHECKING:
    from forge_cli.app.selection import Choice
    from forge_cli.app.settings import Settings

NOTHING_TO_CHECK = 5
_TEXTS = ("full", "concise")


def _size(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 2**40:
        raise ValueError(f"'{text}' is not a number of bytes; write  {MAX_SIZE}")
    return int(text)


def _report(text: str) -> tuple[str, str]:
    form, _, path = text.partition("=")
    if form not in FORMATS or not path:
        raise ValueError(
            f"'{text}' is not a format and a file, as  json=findings.json; "
            f"formats are {', '.join(FORMATS)}"
        )
    return form, path


def _name(text: str) -> str:
    if not text:
        raise ValueError("a name is not empty; write  manifest.yaml")
    return text


def _rules(text: str) -> tuple[str, ...]:
    from forge_cli.app.selection import rules

    return rules(text)


def _warnings(text: str) -> tuple[str, ...]:
    from forge_cli.app.selection import warnings

    return warnings(text)


OPTIONS = (
    Option(
        ("--format",),
        f"How findings are written: {', '.join(FORMATS)}.",
        "full",
        "FORMAT",
        one_of(*FORMATS),
    ),
    Option(
        ("--report",),
        "Write the findings to a file as well, in this format; any number of times.",
        (),
        "FORMAT=PATH",
        _report,
        many=True,
    ),
    Option(
        ("--select",),
        "Tell only of these rules, separated by commas; what else is an error still fails.",
        (),
        "RULES",
        _rules,
        many=True,
    ),
    Option(
        ("--ignore",),
        "Tell no warnings of these rules, separated by commas.",
        (),
        "RULES",
        _warnings,
        many=True,
    ),
    Option(("--strict",), "Warnings fail as well."),
    Option(("--list-files",), "Only list the files that would be checked, one on each line."),
    Option(("--allow-empty",), "Nothing to check is no failure."),
    Option(("--only-manifests",), "Leave out named files that a folder is not searched for."),
    Option(
        ("--stdin-filename",),
        "The name of what is read from standard input, when a path is '-'.",
        "<stdin>",
        "NAME",
        _name,
    ),
    Option(("--max-size",), "Bytes that one manifest may have.", MAX_SIZE, "BYTES", _size),
    NOW,
    COLOR,
    Option(QUIET, "Only findings, no summary."),
    Option(VERBOSE, "Name each file that is checked."),
)
PATHS = Argument(
    "paths",
    "PATH",
    "Files of any name, folders (searched for *.forge.yaml, and below a folder named manifests for "
    "every manifest), or '-' for standard input. Default: what [tool.forge] manifests in "
    "pyproject.toml names, else the current folder.",
    many=True,
)


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
    for sentence in (*checked.refusals, *_unshown(checked), *unwritten):
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
            complain(f"checked {name}: {len(report.findings)} findings", prefix="")
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
    """Names the files that can be read, and tells of the others."""
    terminal = Terminal.of(sys.stdout)
    write(sys.stdout, (terminal.safe(name) for name, _ in sources))
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
    told = list(map(choice.told, reports)) if choice else reports
    refusals, code = _refused(selection, allow_empty)
    unshown = _errors(reports) - _errors(told) if choice else 0
    fails = unshown > 0 or any(report.fails(strict) for report in told)
    files, code = tuple(by_file(told)), code or int(fails)
    return Checked(files, tuple(refusals), code, strict, quiet, checkout(os.environ), unshown)


def _errors(reports: Iterable[Report]) -> int:
    return sum(each.severity == "error" for report in reports for each in report.findings)


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


def _unshown(checked: Checked) -> Iterator[str]:
    if checked.unshown:
        count = checked.unshown
        errors, them = ("an error", "it") if count == 1 else (f"{count} errors", "them")
        yield f"{errors} of other rules than the selected ones: see {them} without --select"
