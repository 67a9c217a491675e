"""What `forge validate` takes on its command line."""

from forge_cli.cli.arguments import COLOR, QUIET, VERBOSE, Argument, Option, one_of
from forge_cli.cli.formats import FORMATS
from forge_cli.cli.manifest_options import NOW
from forge_cli.manifest.reading.source import MAX_SIZE


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
