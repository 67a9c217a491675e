"""The program `forge`: the plainest command lines at once, all others through typer."""

import errno
import gc
import os
import sys
from collections.abc import Sequence

from forge_cli import __version__
from forge_cli.errors import ForgeError

_AT_ONCE = frozenset({"validate", "plan", "run"})
USAGE, BUG, INTERRUPTED, CLOSED_PIPE = 2, 70, 130, 141
_NO_PLACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})

_START = 100_000
"""Objects between two collections: what starting makes is kept, and looking for garbage in it takes
a tenth of the time that a small manifest does."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (that of the process by default) and returns its exit status."""
    try:
        status = _run(sys.argv[1:] if arguments is None else list(arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        _settle_output()
        return INTERRUPTED
    except BrokenPipeError:
        _settle_output()
        return CLOSED_PIPE
    except ForgeError as error:
        return _refuse(str(error))
    except Exception as error:  # noqa: BLE001 - recorded in a file that the sentence names
        sentence = _no_place(error) or _no_folder(error)
        return _refuse(sentence) if sentence else _bug(error)
    return status


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        print(f"forge {__version__}")  # noqa: T201
        return 0
    if arguments[:1] and arguments[0] in _AT_ONCE and "_FORGE_COMPLETE" not in os.environ:
        status = _run_at_once(arguments[0], arguments[1:])
        if status is not None:
            return status
    from forge_cli.cli.main import run_command

    return run_command(arguments)


def _run_at_once(command: str, words: list[str]) -> int | None:
    """The status of a command line that is plain, or None: typer is for all others."""
    if command == "validate":
        gc.set_threshold(_START)
        from forge_cli.cli.validate import run_at_once
    elif command == "plan":
        from forge_cli.cli.plan import run_at_once
    else:
        from forge_cli.cli.run import run_at_once
    return run_at_once(words)


def _settle_output() -> None:
    """Drops output that nobody takes: Python would try it again, and complain, at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    from forge_cli.cli.terminal import complain, prepare_streams

    _settle_output()
    prepare_streams()
    complain(sentence)
    return USAGE


def _no_place(error: Exception) -> str:
    """The sentence for a disk that takes nothing more, wherever that was met; else nothing."""
    if not isinstance(error, OSError) or error.errno not in _NO_PLACE:
        return ""
    name = getattr(error, "filename", None)
    where = f"'{name}'" if name else "the output"
    return f"{where} cannot be written: {getattr(error, 'strerror', error)}"


def _no_folder(error: Exception) -> str:
    """The sentence for a working folder that is gone, whatever failed by that; else nothing."""
    if not isinstance(error, FileNotFoundError):
        return ""
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the working folder was removed; change to one that exists (cd) and type it again"
    return ""


def _bug(error: Exception) -> int:
    from forge_cli.cli.terminal import complain, prepare_streams

    _settle_output()
    prepare_streams()
    complain(f"{type(error).__name__}: {error}; {_saved(error)}", prefix="forge: bug: ")
    return BUG


def _saved(error: Exception) -> str:
    """Where the traceback is, as the end of a sentence."""
    import tempfile
    import traceback

    try:
        descriptor, name = tempfile.mkstemp(prefix="forge-bug-", suffix=".txt")
        with os.fdopen(descriptor, "w", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error))
    except OSError as refusal:
        return f"the traceback could not be saved ({refusal.strerror})"
    return f"the traceback is in {name}, please report it"


if __name__ == "__main__":
    sys.exit(main())
