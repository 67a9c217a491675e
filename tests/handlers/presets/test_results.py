"""What programs of presets print is read as a result, and their last event decides."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.handlers.presets import PRESETS
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import a_turn

Call = Callable[..., TurnResult]
Text = Callable[[str], str]
VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("kind", PRESETS)
def test_what_the_program_printed_is_read_as_the_result(
    kind: str, call: Call, recorded: Text
) -> None:
    result = call(kind, recorded(f"{kind}.done"), completion=VERDICT)
    assert (result.status, result.message) == ("done", "")
    assert result.output == {"verdict": "approve"}


@pytest.mark.parametrize(
    ("kind", "usage"),
    [
        ("claude-code", {"model_calls": 3, "cost_usd": 2800, "tokens": 2560}),
        ("codex", {"model_calls": 2, "tokens": 2560}),
        ("gemini-cli", {"model_calls": 2, "tokens": 2560}),
        ("opencode", {"model_calls": 2, "tokens": 2560}),
        ("qwen-code", {"model_calls": 1, "tokens": 1320}),
    ],
)
def test_what_was_used_is_told_as_far_as_the_program_tells_it(
    kind: str, usage: dict[str, int], call: Call, recorded: Text
) -> None:
    assert call(kind, recorded(f"{kind}.done"), completion=VERDICT).usage == usage


@pytest.mark.parametrize("status", [0, 1])
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("claude-code", "it says: API Error: Unable to connect to API (ConnectionRefused)"),
        ("codex", 'it says: {"error":{"message":"no such model"'),
        ("gemini-cli", "it says: [API Error:"),
        ("opencode", "it says: no such model"),
        ("qwen-code", "it says: Model produced plain text instead of calling"),
    ],
)
def test_the_result_event_decides_and_not_the_exit_status(
    kind: str, words: str, status: int, call: Call, recorded: Text
) -> None:
    result = call(kind, recorded(f"{kind}.failed"), status, completion=VERDICT)
    assert (result.status, result.kind) == ("failed", "error")
    assert result.message.startswith(f"exit status 1; {words}" if status else words)


@pytest.mark.parametrize(
    ("answer", "status"),
    [("[API Error: Connection error.]", "failed"), ("An [API Error: x] was mended.", "done")],
)
def test_a_service_that_cannot_be_reached_is_no_success_of_qwen_code(
    answer: str, status: str, call: Call
) -> None:
    event = {"type": "result", "subtype": "success", "is_error": False, "result": answer}
    result = call("qwen-code", json.dumps(event) + "\n")
    assert result.status == status
    assert answer in (result.message or str(result.output))


@pytest.mark.parametrize(("costs", "cost"), [((0.001, 0.0005), {"cost_usd": 1_500}), ((0, 0), {})])
def test_a_cost_of_nothing_is_none_that_is_known_to_opencode(
    costs: tuple[float, ...], cost: dict[str, int], call: Call
) -> None:
    steps = [{"type": "step_finish", "part": {"reason": "stop", "cost": c}} for c in costs]
    printed = "\n".join(map(json.dumps, steps))
    assert call("opencode", printed, outputs=()).usage == {"model_calls": 2} | cost


def test_an_answer_that_was_cut_off_is_no_success_of_opencode(call: Call) -> None:
    event = {"type": "step_finish", "part": {"reason": "length"}}
    assert call("opencode", json.dumps(event)).message == "it says: length"


@pytest.mark.parametrize("kind", PRESETS)
def test_a_program_that_ends_without_a_result_has_failed(
    kind: str, call: Call, recorded: Text
) -> None:
    begun = recorded(f"{kind}.done").splitlines()[0]
    result = call(kind, begun)
    assert (result.status, result.kind) == ("failed", "error")
    assert "it did not succeed" in result.message or "it says that it did not" in result.message


def test_nothing_printed_is_told_as_that(call: Call) -> None:
    result = call("codex", "Please log in first.\n")
    assert result.kind == "invalid-output"
    assert result.message == (
        "it printed no event; standard output reads 'Please log in first.\\n'"
    )


def test_lines_that_are_no_events_are_passed_over(call: Call, recorded: Text) -> None:
    noise = 'Loaded cached credentials.\n{"half": \n[1]\n{"no": "type"}\n'
    result = call("codex", noise + recorded("codex.done"), completion=VERDICT)
    assert result.output == {"verdict": "approve"}


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ('```json\n{"verdict": "approve"}\n```', {"verdict": "approve"}),
        ('{"verdict": "approve"}', {"verdict": "approve"}),
    ],
)
def test_an_object_may_stand_in_a_fence(
    text: str, output: dict[str, Any], call: Call, says: Text
) -> None:
    assert call("codex", says(text), completion=VERDICT).output == output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I approve.", "its answer is not JSON"),
        ("[1]", "its answer is a list, not an object with the outputs (verdict)"),
        ("", "its answer is empty"),
        (" \n", "its answer is empty"),
        ('{"verdict": 9007199254740993}', "beyond 2^53"),
        ('{"verdict": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_an_answer_that_is_no_such_object_is_an_invalid_output(
    text: str, words: str, call: Call, says: Text
) -> None:
    result = call("codex", says(text), completion=VERDICT)
    assert result.kind == "invalid-output"
    assert words in result.message


def test_a_text_with_half_a_surrogate_pair_is_no_output(call: Call, says: Text) -> None:
    assert call("codex", says("\ud800")).kind == "invalid-output"


def test_without_a_schema_the_only_output_is_the_last_answer(call: Call, says: Text) -> None:
    assert call("codex", says("I approve.")).output == {"verdict": "I approve."}


def test_without_outputs_the_answer_is_not_looked_at(call: Call, says: Text) -> None:
    assert call("codex", says(""), outputs=()).output == {}


def test_what_is_said_before_a_tool_is_used_is_not_the_answer(call: Call, recorded: Text) -> None:
    result = call("gemini-cli", recorded("gemini-cli.done"))
    assert result.output == {"verdict": '{"verdict": "approve"}'}


def test_a_long_complaint_is_cut_and_on_one_line(call: Call) -> None:
    event = {"type": "turn.failed", "error": {"message": "a\n" * 5_000_000}}
    result = call("codex", json.dumps(event))
    assert len(result.message) < 1_100
    assert "\n" not in result.message


def test_secrets_are_out_of_what_it_says(call: Call) -> None:
    event = {"type": "turn.failed", "error": {"message": "bad key canary-41f7c2"}}
    assert "canary" not in call("codex", json.dumps(event)).message


@pytest.mark.parametrize(("status", "kind"), [(42, "invalid-input"), (53, "budget"), (1, "error")])
@pytest.mark.parametrize("program", ["gemini-cli", "qwen-code"])
def test_exit_statuses_that_are_known_have_their_kind(
    program: str, status: int, kind: str, call: Call
) -> None:
    assert call(program, "", status).kind == kind


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("claude-code", ["Read /home/dev/project/notes.txt", "StructuredOutput"]),
        ("codex", ["bash -lc 'cat notes.txt'"]),
        ("gemini-cli", ["list_directory /home/dev/project"]),
        ("opencode", ["read notes.txt"]),
        ("qwen-code", ["structured_output"]),
    ],
)
def test_what_it_does_is_told_while_it_does_it(
    kind: str, words: list[str], call: Call, recorded: Text, told: list[tuple[str, str]]
) -> None:
    call(kind, recorded(f"{kind}.done"), completion=VERDICT)
    assert [said for _, said in told] == words
    assert {item for item, _ in told} == {a_turn().item_id}


def test_secrets_are_out_of_what_is_told(call: Call, told: list[tuple[str, str]]) -> None:
    call("codex", '{"type": "item.started", "item": {"command": "echo canary-41f7c2"}}\n')
    assert len(told) == 1
    assert "canary" not in told[0][1]
