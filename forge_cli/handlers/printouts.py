"""A program's answer, read from what it printed or from the file that it was told to write."""

import codecs
import errno
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers.answers import AnswerError, kind_of, parse, shown, text_of
from forge_cli.handlers.event_stream import answer_in, events_in, failure_in
from forge_cli.handlers.extract import Answer, Extract
from forge_cli.handlers.program import Printed
from forge_cli.handlers.wire import STATUSES, decode_result
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

STDOUT = "standard output"
FILE = "the file at $FORGE_RESULT"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The file that a program may be told to write: at most `cap` bytes, as of each stream."""

    path: Path
    cap: int
    redactor: Redactor

    def content(self) -> bytes:
        """What is in it, redacted; `AnswerError` if there is none that can be read."""
        try:
            # Not blocking and not following: what lies there is the program's choice.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(self.path, flags)
        except FileNotFoundError:
            raise AnswerError("it wrote no file at $FORGE_RESULT") from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise AnswerError(f"{FILE} is a link, and links are not followed") from None
            raise AnswerError(f"{FILE} cannot be read: {error.strerror}") from None
        try:
            return self.redactor.redact_bytes(self._read(descriptor))
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int) -> bytes:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise AnswerError(f"{FILE} is no regular file")
        if status.st_size > self.cap:
            size = status.st_size
            raise AnswerError(f"{FILE} is {size} bytes, more than `max_output`: {self.cap}")
        with open(descriptor, "rb", closefd=False) as content:
            return content.read()


def read(turn: Turn, stdout: Printed, file: ResultFile) -> Answer:
    """The answer in the form that the configuration's `result` names.

    `text`: standard output without its last newline, under the one output key. `stdout-json`: one
    JSON value. `jsonl`: a value a line; the document is their list, the output the last of them
    unless `extract.outputs` says otherwise. `events`: what a command-line agent prints.
    `file`: one JSON value in `file`.
    Raises `AnswerError`, whose sentence shows what was there instead.
    """
    form = turn.handler.get("result", "text")
    if form == "text":
        return Answer(_text(turn.grant.outputs, stdout, file.cap))
    if form == "events":
        _refuse_cut(stdout, file.cap)
        return answer_in(turn, stdout.data)
    if form == "file":
        source, document = FILE, parse(file.content().removeprefix(codecs.BOM_UTF8), FILE)
    else:
        source, document = STDOUT, _printed(form, stdout, file.cap)
    return _extracted(turn, document, source)


def words_of_failed(turn: Turn, stdout: Printed) -> str:
    """What a program that failed says itself of that, where it prints events, or nothing."""
    if turn.handler.get("result") != "events":
        return ""
    return failure_in(turn.handler, events_in(stdout.data))


def usage_of_failed(turn: Turn, stdout: Printed, file: ResultFile) -> Mapping[str, int]:
    """What a program that failed used, as far as it can be told: every error path pays."""
    if not turn.handler.get("extract"):
        return {}
    try:
        return read(turn, stdout, file).usage
    except AnswerError:
        return {}


def _text(outputs: tuple[str, ...], stdout: Printed, cap: int) -> Mapping[str, Json]:
    if not outputs:
        return {}
    if len(outputs) > 1:
        raise AnswerError(
            f"{STDOUT} as text fills one output, and there are {len(outputs)}: "
            f"{', '.join(outputs)}; write JSON to $FORGE_RESULT (result: file)"
        )
    _refuse_cut(stdout, cap)
    return {outputs[0]: text_of(stdout.data, STDOUT).removesuffix("\n")}


def _refuse_cut(stdout: Printed, cap: int) -> None:
    """What was captured with its middle left out is good to read, and is nobody's result."""
    if stdout.cut:
        raise AnswerError(f"{STDOUT} is {stdout.size} bytes, more than `max_output`: {cap}")


def _whole(turn: Turn, output: Json, source: str) -> TurnResult | None:
    """The result of a program that was given its turn and answers with a result, not an output."""
    if turn.handler.get("stdin") != "json" or not isinstance(output, dict):
        return None
    if "status" in turn.grant.outputs or output.get("status") not in STATUSES:
        return None
    try:
        return decode_result(output)
    except ValueError as fault:
        raise AnswerError(f"{source} is no result of a turn: {fault}") from None


def _printed(form: str, stdout: Printed, cap: int) -> Json:
    _refuse_cut(stdout, cap)
    if form == "stdout-json":
        return parse(stdout.data, STDOUT)
    lines = [(n, line) for n, line in enumerate(stdout.data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise AnswerError(f"{STDOUT} has no line of JSON; it reads {shown(stdout.data)}")
    return [parse(line, f"line {n} of {STDOUT}") for n, line in lines]


def _extracted(turn: Turn, document: Json, source: str) -> Answer:
    extract = Extract(turn.handler.get("extract") or {})
    usage, objection = extract.usage(document), extract.objection(document)
    if objection is not None:
        return Answer({}, usage, objection)
    output = extract.outputs(document)
    if isinstance(output, list) and turn.handler.get("result") == "jsonl" and output is document:
        output = output[-1]
    if (result := _whole(turn, output, source)) is not None:
        return Answer({}, usage, result=result)
    if not isinstance(output, dict):
        wanted = ", ".join(turn.grant.outputs) or "none"
        raise AnswerError(
            f"{source} gives {kind_of(output)}, not an object with the outputs ({wanted}); "
            f"it reads {shown(json.dumps(output).encode())}"
        )
    return Answer(output, usage)
