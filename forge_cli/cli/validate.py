"""`forge validate`: checks manifests and runs nothing that they name."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

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
from forge_cli.manifest.reading.source import MAX_SIZE, read, read_stream

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
    Option(("--strict",), "Warnings fail as well."),
    Option(("--allow-empty",), "Nothing to check is no failure."),
    Option(("--only-manifests",), "Leave out named files that a folder is not searched for."),
    Option(
        ("--stdin-filename",),
        "The name of what is read from standard input, when a path is '-'.",
        "<stdin>",
        "NAME",
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
    strict: bool,
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
      forge validate --format json manifests/office-research.yaml
      forge validate manifests/ --report json=findings.json --report concise=findings.txt
      cat manifests/office-research.yaml | forge validate - --stdin-filename manifests/x.yaml
    """
    prepare_streams()
    selection = discover(paths, only_manifests)
    if report:
        from forge_cli.cli import reports as files

        files.check(report, selection.files)
    reading = (stdin_filename, max_size)
    reports = list(_examined(selection, reading, now, verbose and not quiet))
    checked = _checked(selection, reports, strict, quiet, allow_empty)
    unwritten = list(files.save(report, checked)) if report else []
    write(sys.stdout, _shown(format, checked, Terminal.of(sys.stdout, color)))
    for sentence in (*checked.refusals, *unwritten):
        complain(sentence)
    return 2 if unwritten else checked.exit_code


def run_at_once(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, PATHS, words)
    return None if values is None else validate(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, PATHS, validate)


def _examined(
    selection: Selection, reading: tuple[str, int], now: int | None, verbose: bool
) -> Iterator[Report]:
    """The report of each file; one that cannot be read becomes a refusal of the selection."""
    moment = time.time_ns() // 1_000_000 if now is None else now
    for path in selection.files:
        try:
            name, data = _read(path, *reading)
        except ForgeError as error:
            selection.refusals.append(str(error))
            continue
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


def _read(path: str, stdin_filename: str, max_size: int) -> tuple[str, bytes]:
    if path == STANDARD_INPUT:
        return stdin_filename, read_stream(0, stdin_filename, max_size)
    return path, read(path, max_size)


def _checked(
    selection: Selection, reports: list[Report], strict: bool, quiet: bool, allow_empty: bool
) -> Checked:
    refusals = selection.refusals
    code = int(any(report.fails(strict) for report in reports))
    if refusals:
        code = 2
    elif not selection.files and not allow_empty:
        refusals = ["nothing to check: no manifest was found; name one, or --allow-empty"]
        code = NOTHING_TO_CHECK
    return Checked(
        tuple(by_file(reports)), tuple(refusals), code, strict, quiet, checkout(os.environ)
    )
