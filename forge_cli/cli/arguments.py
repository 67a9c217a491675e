"""Options declared once, read at once or by typer: both give the same values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from forge_cli.cli.terminal import COLORS

QUIET, VERBOSE = ("-q", "--quiet"), ("-v", "--verbose")
"""The two flags that every command has; of both, `-q` decides."""


class Option(NamedTuple):
    """One option of a command; a flag if it has no `metavar`.

    `convert` makes the value of the written text and raises `ValueError` with what would do. One
    with `many` can be given any number of times; its value is the tuple of what was written.
    """

    names: tuple[str, ...]
    help: str
    default: Any = False
    metavar: str = ""
    convert: Callable[[str], Any] = str
    many: bool = False

    @property
    def field(self) -> str:
        """The name of the value: that of the longest option name."""
        return max(self.names, key=len).lstrip("-").replace("-", "_")


class Argument(NamedTuple):
    """What a command takes without an option's name: one word, or with `many` any number of them.

    Its value is a list, or the word or None.
    """

    field: str
    metavar: str
    help: str
    many: bool = False


def one_of(*choices: str) -> Callable[[str], str]:
    """A `convert` for a fixed list of words."""

    def choose(text: str) -> str:
        if text not in choices:
            raise ValueError(f"'{text}' is not one of {', '.join(choices)}")
        return text

    return choose


COLOR = Option(("--color",), "Colour: auto, always or never.", "auto", "WHEN", one_of(*COLORS))


def read_at_once(
    options: Sequence[Option], argument: Argument, words: Sequence[str]
) -> dict[str, Any] | None:
    """The values of a command line by their fields; None if there is any doubt.

    Doubt (an unknown option, a word too many, a value that does not convert, a cluster of short
    ones, a question for help) is for typer, which answers it with the same declarations.
    """
    by_name = {name: option for option in options for name in option.names}
    values: dict[str, Any] = {option.field: option.default for option in options}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            plain.extend(rest)
        elif word == "-" or not word.startswith("-"):
            plain.append(word)
        elif not _read_option(by_name, values, word, rest):
            return None
    if argument.many:
        return {argument.field: plain, **values}
    return None if plain[1:] else {argument.field: plain[0] if plain else None, **values}


def _read_option(
    by_name: Mapping[str, Option], values: dict[str, Any], word: str, rest: Any
) -> bool:
    name, has_value, written = word.partition("=")
    option = by_name.get(name)
    if option is None or (has_value and not (option.metavar and name.startswith("--"))):
        return False
    if not option.metavar:
        values[option.field] = True
        return True
    text = written if has_value else next(rest, None)
    if text is None:
        return False
    try:
        value = option.convert(text)
    except ValueError:
        return False
    values[option.field] = (*values[option.field], value) if option.many else value
    return True


def typer_function(
    options: Sequence[Option], argument: Argument, run: Callable[..., int]
) -> Callable[..., int]:
    """A function that typer can register: the same declarations as its parameters."""
    import inspect
    from typing import Annotated

    import typer

    def function(**values: Any) -> int:
        converted = {option.field: _convert(option, values[option.field]) for option in options}
        plain = values[argument.field]
        return run(**{argument.field: list(plain or ()) if argument.many else plain}, **converted)

    kind: Any = list[str] | None if argument.many else str | None
    taken = typer.Argument(help=argument.help, metavar=argument.metavar, show_default=False)
    parameters = [_parameter(argument.field, Annotated[kind, taken], None)]
    parameters += [_declared(option) for option in options]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    function.__doc__ = run.__doc__
    return function


def _declared(option: Option) -> Any:
    from typing import Annotated

    import typer

    kind, default = _kind(option)
    settings: dict[str, Any] = {"help": option.help, "show_default": kind is str}
    if option.metavar:
        settings["metavar"] = option.metavar
    return _parameter(
        option.field, Annotated[kind, typer.Option(*option.names, **settings)], default
    )


def _kind(option: Option) -> tuple[Any, Any]:
    """The type that typer reads an option as, and the default in it."""
    if not option.metavar:
        return bool, option.default
    if option.many:
        return list[str] | None, None
    return (str | None, None) if option.default is None else (str, str(option.default))


def _parameter(name: str, annotation: Any, default: Any) -> Any:
    import inspect

    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _convert(option: Option, value: Any) -> Any:
    if not option.metavar:
        return value
    if option.many:
        return tuple(_converted(option, text) for text in value or ())
    is_default = value is None or value == str(option.default)
    return option.default if is_default else _converted(option, value)


def _converted(option: Option, text: str) -> Any:
    import typer

    try:
        return option.convert(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option.names[-1]) from None
