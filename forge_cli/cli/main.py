"""The commands of `forge` as one typer application; only what is asked for is imported."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from forge_cli import __version__
from forge_cli.cli.terminal import prepare_streams

COMMANDS = {
    "init": "forge_cli.cli.init:init",
    "validate": "forge_cli.cli.validate:command()",
    "plan": "forge_cli.cli.plan:command()",
    "diff": "forge_cli.cli.diff:diff",
    "run": "forge_cli.cli.run:command()",
    "resume": "forge_cli.cli.resume:resume",
    "runs": "forge_cli.cli.runs:runs",
    "show": "forge_cli.cli.show:show",
    "verify": "forge_cli.cli.verify:verify",
    "gateway": "forge_cli.cli.gateway:gateway",
    "graph": "forge_cli.cli.graph:graph",
    "explain": "forge_cli.cli.explain:explain",
    "schema": "forge_cli.cli.schema:schema",
    "plugins": "forge_cli.cli.plugins:plugins",
}
"""Command to `module:function`, or `module:function()` that returns it; the order of `--help`.

A command's function is declared for typer, ends its docstring with examples and returns the exit
status; its module imports what is heavy inside of it.
"""

_HELP = """Run YAML delegation manifests: contracts enforced, evidence that anyone can verify.

\b
Examples:
  forge validate manifests/
  forge --version
"""


def run_command(arguments: Sequence[str]) -> int:
    """Runs a command line through typer and returns its exit status."""
    prepare_streams()
    named = [name for name in arguments[:1] if name in COMMANDS]
    app = application(named or list(COMMANDS))
    try:
        app(list(arguments), prog_name="forge")
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    return 0


def application(names: Sequence[str]) -> typer.Typer:
    """The application with these commands."""
    app = typer.Typer(
        name="forge",
        help=_HELP,
        # Plain text: the boxes of rich need characters that not every terminal has.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(result_callback=_exit)(_options)
    for name in names:
        app.command(name)(_function(COMMANDS[name]))
    return app


def _function(address: str) -> Callable[..., Any]:
    module, _, name = address.partition(":")
    function = getattr(import_module(module), name.removesuffix("()"))
    made: Callable[..., Any] = function() if name.endswith("()") else function
    return made


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"forge {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", help="Show the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def _exit(status: int | None, **_options: Any) -> None:
    raise typer.Exit(status or 0)
