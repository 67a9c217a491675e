"""Handlers that misbehave, all in one run: each has its outcome, and none touches another."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.field_reports.processes import Ended, Forge, runs

FUNCTIONS = Path(__file__).parent / "data" / "bad_handlers.py"

SHELL = {
    "crash": "echo boom >&2; exit 3",
    "dies": "kill -SEGV $$",
    "hangs": "echo $$ > c-hangs.pid; exec sleep 600",
    "waits": "sleep 600 & echo $! > c-waits.pid; wait",
    "deaf": "trap '' TERM; echo $$ > c-deaf.pid; while :; do sleep 0.1; done",
    "loud": "head -c 100000000 /dev/zero | tr '\\0' x",
    "forks": "(setsid sh -c 'echo $$ > c-forks.pid; exec sleep 600' >/dev/null 2>&1 &); "
    "while [ ! -s c-forks.pid ]; do sleep 0.01; done; echo done",
    "holds": "(setsid sh -c 'echo $$ > c-holds.pid; exec sleep 600' &); "
    "while [ ! -s c-holds.pid ]; do sleep 0.01; done; echo done",
    "closes": "exec >&- 2>&-",
    "writes-to-closed": "exec >&-; echo text",
    "reads": "cat",
    "asks": 'read -r answer && echo "$answer" || echo nobody answers',
    "line": "head -c 1048576 /dev/zero | tr '\\0' y",
    "both": "head -c 5000000 /dev/zero | tee /dev/stderr | tr '\\0' z",
    "tidies": "trap 'sleep 0.8; echo tidy > tidied.txt' TERM; sleep 600 & wait",
}
JSON = {
    "no-json": "echo no json",
    "wrong": "echo '{\"result\": 7}'",
    "surplus": 'echo \'{"result": "x", "more": 1}\'',
    "nothing": ":",
}
STOPPED = {"hangs", "waits", "deaf", "tidies"}

FUNCTION_REASONS = {
    "crash": ("error", "RuntimeError: boom"),
    "dies": ("error", "ended by signal SIGSEGV"),
    "leaves": ("error", "called sys.exit(3)"),
    "hangs": ("timeout", "timeout after 1 s"),
    "loops": ("timeout", "timeout after 1 s"),
    "deaf": ("timeout", "timeout after 1 s"),
    "no_json": ("invalid-output", "not JSON serializable"),
    "wrong": (None, "text@1 does not hold: result: 7 is not of type 'string'"),
    "absent": ("error", "has no function 'absent'"),
}
COMMAND_REASONS = {
    "crash": ("error", "exit status 3"),
    "dies": ("error", "ended by signal SIGSEGV"),
    "hangs": ("timeout", "timeout after 1 s"),
    "waits": ("timeout", "timeout after 1 s"),
    "deaf": ("timeout", "timeout after 1 s"),
    "tidies": ("timeout", "timeout after 1 s"),
    "writes-to-closed": ("error", "exit status"),
    "no-json": ("invalid-output", "it reads 'no json\\n'"),
    "wrong": (None, "text@1 does not hold: result: 7 is not of type 'string'"),
    "surplus": (None, "has 'more' beyond its contract"),
    "nothing": ("invalid-output", "it reads nothing"),
}


def manifest() -> str:
    """One optional item for each way to misbehave."""
    functions = [*FUNCTION_REASONS, "fine", "loud", "forks", "closes"]
    lines = ["forge: 1", "settings: {max_concurrency: 8}", "roles:"]
    calls = {name: f"kind: function, call: bad_handlers.py:{name}" for name in functions}
    lines += (f"  f-{name}: {_role(handler)}" for name, handler in calls.items())
    for names, result in ((SHELL, "text"), (JSON, "stdout-json")):
        for name, script in names.items():
            argv = f"argv: [sh, -c, {_quoted(script)}]"
            config = f"kind: command, {argv}, result: {result}, grace: 2s, stdin: none"
            lines.append(f"  c-{name}: {_role(config)}")
    lines += ["schemas:", "  text@1: {properties: {result: {type: string}}}", "work_items:"]
    for role in [*(f"f-{f}" for f in functions), *(f"c-{c}" for c in [*SHELL, *JSON])]:
        limit = "1s" if role[2:] in STOPPED | {"loops"} else "60s"
        item = f"role: {role}, timeout: {limit}, required: false, completion: 'schema:text@1'"
        lines.append(f"  {role}: {{{item}}}")
    return "\n".join(lines) + "\n"


def _role(handler: str) -> str:
    return f"{{capabilities: [], handler: {{{handler}}}}}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Ran:
    """The run of all of them: how it ended, what it left, and where."""

    forge: Forge
    ended: Ended
    record: Mapping[str, Any]
    answers: Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One real run with every bad handler in it; its standard input is open and says nothing."""
    forge = Forge(tmp_path_factory.mktemp("bad"))
    shutil.copy(FUNCTIONS, forge.folder)
    forge.write("m.forge.yaml", manifest())
    read, write = os.pipe()
    process = forge.start("run", "m.forge.yaml", stdin=read)
    out, err = process.communicate(timeout=100)
    os.close(read)
    os.close(write)
    answers = {e["item"]: e["body"] for e in forge.events() if e["kind"] == "turn_ended"}
    ended = Ended(process.returncode, out.decode(), err.decode())
    return Ran(forge, ended, forge.record()["items"], answers)


def outcome(ran: Ran, item: str) -> tuple[str | None, str]:
    """The kind of the failure (None: it was rejected) and the reason."""
    assert ran.record[item]["status"] == "failed"
    body = ran.answers[item]
    return body.get("kind"), body.get("message") or body["verdict"]["reason"]


@pytest.mark.parametrize(("name", "expected"), FUNCTION_REASONS.items())
def test_a_bad_function_has_an_outcome(ran: Ran, name: str, expected: tuple[str, str]) -> None:
    kind, reason = outcome(ran, f"f-{name}")
    assert kind == expected[0]
    assert expected[1] in reason


@pytest.mark.parametrize(("name", "expected"), COMMAND_REASONS.items())
def test_a_bad_command_has_an_outcome(ran: Ran, name: str, expected: tuple[str, str]) -> None:
    kind, reason = outcome(ran, f"c-{name}")
    assert kind == expected[0]
    assert expected[1] in reason


ACCEPTED = {
    "f-fine": "fine",
    "f-loud": "loud",
    "f-forks": "one is left",
    "f-closes": "closed",
    "c-forks": "done",
    "c-holds": "done",
    "c-closes": "",
    "c-reads": "",
    "c-asks": "nobody answers",
}


@pytest.mark.parametrize(("item", "result"), ACCEPTED.items())
def test_what_does_its_work_is_accepted_whatever_else_it_does(
    ran: Ran, item: str, result: str
) -> None:
    """openai/codex#27019, openclaw/openclaw#13728: programs waited for an inherited input."""
    assert ran.record[item]["status"] == "succeeded"
    assert ran.record[item]["output"] == {"result": result}


def test_a_line_of_a_megabyte_comes_whole(ran: Ran) -> None:
    """NousResearch/hermes-agent#31417, akashgit/remote-factory#741: 64 KiB killed the reader."""
    assert ran.record["c-line"]["output"]["result"]["bytes"] == 1_048_576 + len('""')


def test_megabytes_on_both_streams_do_not_deadlock(ran: Ran) -> None:
    """bojieli/ai-agent-book#100: waiting before reading deadlocked past 256 KB."""
    folder = next(ran.forge.folder.glob("evidence/m/*/items/c-both"))
    assert ran.record["c-both"]["status"] == "succeeded"
    assert sorted(f.stat().st_size for f in folder.glob("std*")) == [5_000_000, 5_000_000]


def test_100_mb_are_cut_with_a_mark_and_are_no_result(ran: Ran) -> None:
    assert ran.record["c-loud"]["kind"] == "invalid-output"
    folder = next(ran.forge.folder.glob("evidence/m/*/items/c-loud"))
    kept = (folder / "stdout.txt").read_bytes()
    assert b"bytes left out" in kept
    assert len(kept) < 17 * 1024 * 1024


@pytest.mark.parametrize(
    "name",
    ["hangs", "loops", "deaf", "forks", "c-hangs", "c-waits", "c-deaf", "c-forks", "c-holds"],
)
def test_nothing_is_left_running(ran: Ran, name: str) -> None:
    """sixty-north/cosmic-ray#603, NorthlandPositronics/Cogtrix#966: grandchildren lived on."""
    assert not runs(int((ran.forge.folder / f"{name}.pid").read_text()))


def test_a_handler_that_tidies_up_within_the_grace_period_is_let(ran: Ran) -> None:
    """StuartCameronCode/VapourBox#63: the grace period was too short for any cleanup."""
    assert (ran.forge.folder / "tidied.txt").read_text() == "tidy\n"


def test_the_run_is_degraded_and_says_so(ran: Ran) -> None:
    assert ran.ended.code == 3
    assert ran.ended.out.startswith("DEGRADED")
    assert "Traceback" not in ran.ended.err


def test_its_evidence_holds(ran: Ran) -> None:
    assert ran.forge("verify", "evidence").code == 0


def test_a_program_that_is_missing_is_told_before_anything_runs(forge: Forge) -> None:
    text = "forge: 1\nwork_items:\n  a: {run: [./no-such], capabilities: []}\n"
    forge.write("m.forge.yaml", text + "  b: {script: touch ran.txt, capabilities: []}\n")
    said = forge("run", "m.forge.yaml")
    assert said.code == 2
    assert "1 program is missing: ./no-such" in said.out
    assert not (forge.folder / "ran.txt").exists()


def test_a_program_that_is_not_executable_is_told_with_the_mend(forge: Forge) -> None:
    forge.write("tool", "#!/bin/sh\n")
    forge.write("m.forge.yaml", "forge: 1\nwork_items:\n  a: {run: [./tool], capabilities: []}\n")
    said = forge("run", "m.forge.yaml")
    assert said.code == 2
    assert "1 program is not executable; type: chmod +x ./tool" in said.out


@pytest.mark.parametrize("tool", ["./no-such", "./notes.txt", "no-such-program"])
def test_a_program_that_an_input_names_fails_its_item(forge: Forge, tool: str) -> None:
    forge.write("notes.txt", "no program\n")
    text = "forge: 1\ninputs: {tool: {}}\nwork_items:\n"
    forge.write("m.forge.yaml", text + '  a: {run: ["${inputs.tool}"], capabilities: []}\n')
    said = forge("run", "m.forge.yaml", "--input", f"tool={tool}")
    assert said.code == 1
    assert forge.record()["items"]["a"]["status"] == "failed"
    assert tool.removeprefix("./") in said.out


def test_a_named_pipe_is_no_evidence(forge: Forge) -> None:
    text = "forge: 1\nwork_items:\n  a:\n    script: mkfifo proof\n    capabilities: [write]\n"
    forge.write("m.forge.yaml", text + "    evidence: [files:proof]\n    writes: [files:proof]\n")
    said = forge("run", "m.forge.yaml")
    assert said.code == 1
    assert "evidence 'files:proof' is missing or empty" in said.err
