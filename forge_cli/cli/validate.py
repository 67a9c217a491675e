"""`forge validate`: checks manifests and runs nothing that they name."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence

from forge_cli.app.validate import Report, by_file, check_file
from forge_cli.cli.arguments import (
    COLOR,
    QUIET,
    VERBOSE,
    Option,
    one_of,
    read_at_once,
    typer_function,
)
from forge_cli.cli.terminal import Terminal, complain, prepare_streams, write
from forge_cli.errors import ForgeError
from forge_cli.manifest.reading.discovery import STANDARD_INPUT, Selection, discover
from forge_cli.manifest.reading.source import MAX_SIZE, read, read_stream

FORMATS = ("full", "concise", "json")
NOTHING_TO_CHECK = 5


def _moment(text: str) -> int:
    from forge_cli.multiagent.times import from_text

    try:
        return from_text(text)
    except ValueError:
        raise ValueError(
            f"'{text}' is not a time with an offset; write  2026-11-30T14:00:00Z"
        ) from None


def _size(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 2**40:
        raise ValueError(f"'{text}' is not a number of bytes; write  {MAX_SIZE}")
    return int(text)


OPTIONS = (
    Option(
        ("--format",),
        "How findings are written: full, concise or json.",
        "full",
        "FORMAT",
        one_of(*FORMATS),
    ),
    Option(("--strict",), "Warnings fail as well."),
    Option(("--allow-empty",), "Nothing to check is no failure."),
    Option(
        ("--stdin-filename",),
        "The name of what is read from standard input, when a path is '-'.",
        "<stdin>",
        "NAME",
    ),
    Option(("--max-size",), "Bytes that one manifest may have.", MAX_SIZE, "BYTES", _size),
    Option(("--now",), "The time that deadlines are compared with.", "", "TIME", _moment),
    COLOR,
    Option(QUIET, "Only findings, no summary."),
    Option(VERBOSE, "Name each file that is checked."),
)
PATHS_HELP = (
    "Files of any name, folders (searched for *.forge.yaml, and below a folder named manifests for "
    "every manifest), or '-' for standard input. Default: what [tool.forge] manifests in "
    "pyproject.toml names, else the current folder."
)


def validate(
    paths: list[str],
    format: str,  # noqa: A002 - the option's name
    strict: bool,
    allow_empty: bool,
    stdin_filename: str,
    max_size: int,
    now: int | str,
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
      cat manifests/office-research.yaml | forge validate - --stdin-filename manifests/x.yaml
    """
    prepare_streams()
    selection = discover(paths)
    moment = now if isinstance(now, int) else time.time_ns() // 1_000_000
    reports = []
    for path in selection.files:
        try:
            name, data = _read(path, stdin_filename, max_size)
        except ForgeError as error:
            selection.refusals.append(str(error))
            continue
        reports.append(check_file(name, data, moment))
        if verbose and not quiet:
            complain(f"checked {name}: {len(reports[-1].findings)} findings", prefix="")
    write(sys.stdout, _render(by_file(reports), format, quiet, Terminal.of(sys.stdout, color)))
    for refusal in selection.refusals:
        complain(refusal)
    return _exit_code(selection, reports, strict, allow_empty)


def run(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, words)
    return None if values is None else validate(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, PATHS_HELP, validate)


def _read(path: str, stdin_filename: str, max_size: int) -> tuple[str, bytes]:
    if path == STANDARD_INPUT:
        return stdin_filename, read_stream(0, stdin_filename, max_size)
    return path, read(path, max_size)


def _render(
    reports: list[Report],
    form: str,
    quiet: bool,
    terminal: Terminal,
) -> Iterable[str]:
    if form == "json":
        from forge_cli.cli.findings_json import document

        return [document(reports)]
    from forge_cli.cli.findings import concise, full

    if form == "concise":
        return concise(reports, terminal)
    return full(reports, terminal, with_summary=bool(reports) and not quiet)


def _exit_code(selection: Selection, reports: list[Report], strict: bool, allow_empty: bool) -> int:
    if selection.refusals:
        return 2
    if not selection.files:
        if allow_empty:
            return 0
        complain("nothing to check: no manifest was found; name one, or --allow-empty")
        return NOTHING_TO_CHECK
    return int(any(report.fails(strict) for report in reports))
