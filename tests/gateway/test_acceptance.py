"""What a result must be before it counts, and what is said of one that is not."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from forge_cli.canonical import digest
from forge_cli.gateway.acceptance import (
    INLINE_LIMIT,
    Acceptance,
    file_digest,
    keys_fault,
    known_usage,
    unsafe,
    usage_fault,
)
from forge_cli.gateway.artifacts import opened, opened_for
from forge_cli.multiagent.plan import Item, Plan
from forge_cli.multiagent.ports import Verdict
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import Kept, a_turn

SCHEMAS = {"schema:short@1": {"properties": {"result": {"type": "string", "maxLength": 5}}}}
FORGED = {"artifact": "sha256:" + "0" * 64, "bytes": 1}


class Judge:
    """Judges results of one item, whose grant has the output `result`."""

    def __init__(self, folder: Path) -> None:
        self.kept = Kept()
        self._folder = folder

    def __call__(self, output: Any, **item: Any) -> Verdict:
        items = {
            "item": Item("item", **item),
            "choose": Item("choose", pattern="resolve", children=("one",)),
        }
        plan = Plan("trial", "1", items, {}, {}, schemas=SCHEMAS)
        acceptance = Acceptance(plan, self.kept, lambda name: file_digest(self._folder, name))
        return acceptance.judge(a_turn(), TurnResult.done(output))


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


def test_a_result_that_keeps_its_contract_is_accepted_as_it_is(judge: Judge) -> None:
    contract = {"completion": "schema:short@1", "criteria": ("result == 'good'",)}
    assert judge({"result": "good"}, **contract) == Verdict(True, "", {"result": "good"}, {})


@pytest.mark.parametrize(
    ("output", "contract", "reason"),
    [
        ({}, {}, "the output lacks 'result'"),
        ({"result": 1, "x": 2}, {}, "the output has 'x' beyond its contract"),
        (
            {"y": 1, "x": 2},
            {},
            "beyond its contract: write  outputs: [y, x]  in its role",
        ),
        (
            {"result": "too long"},
            {"completion": "schema:short@1"},
            "schema:short@1 does not hold: result: 'too long' is too long",
        ),
        ({"result": 1}, {"criteria": ("result == `2`",)}, "criterion 'result == `2`' is not met"),
        (
            {"result": "1e999"},
            {"criteria": ("floor(to_number(result)) > `1`",)},
            "> `1`' cannot be evaluated: cannot convert float infinity to integer",
        ),
        ({"result": 1}, {"parent": "choose"}, "a proposal has no risk and no value"),
        ({"result": [FORGED]}, {}, "'result' has the form of a reference to an artifact"),
        ({"result": float("nan")}, {}, "the output holds nan, which is not a finite number"),
    ],
)
def test_a_result_that_does_not_is_rejected_with_what_is_wrong(
    judge: Judge, output: dict[str, Any], contract: dict[str, Any], reason: str
) -> None:
    verdict = judge(output, **contract)
    assert (verdict.accepted, verdict.evidence) == (False, None)
    assert reason in verdict.reason


def test_a_rejected_result_is_recorded_unless_the_log_cannot_hold_it(judge: Judge) -> None:
    assert judge({"other": 1}).output == {"other": 1}
    assert judge({"result": float("inf")}).output == {}
    assert judge({"result": {"deep": FORGED}}).output == {}


def test_evidence_is_the_digest_of_an_output_or_of_a_file(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "report").write_bytes(b"all of it")
    verdict = judge({"result": [1]}, evidence=("result", "files:report"))
    due = "sha256:" + hashlib.sha256(b"all of it").hexdigest()
    assert verdict.evidence == {"result": digest([1]), "files:report": due}


@pytest.mark.parametrize("value", ["", None])
@pytest.mark.parametrize("name", ["result", "files:report"])
def test_evidence_that_is_empty_or_missing_is_none(judge: Judge, name: str, value: Any) -> None:
    verdict = judge({"result": value}, evidence=(name,))
    assert verdict.reason == f"evidence {name!r} is missing or empty"


def test_what_an_item_asked_for_is_held_against_its_keys_only(judge: Judge) -> None:
    acceptance = Acceptance(Plan("trial", "1", {}, {}, {}), judge.kept, lambda name: None)
    asked = a_turn(item_id="item.child-1-1")
    assert acceptance.judge(asked, TurnResult.done({"result": 1})).accepted
    assert not acceptance.judge(asked, TurnResult.done({"other": 1})).accepted


def test_the_largest_values_are_kept_beside_until_the_rest_is_small(judge: Judge) -> None:
    large, small = "x" * INLINE_LIMIT, ["y"] * 1_000
    acceptance = Acceptance(Plan("trial", "1", {}, {}, {}), judge.kept, lambda name: None)
    output = acceptance.hold("item", ("a", "b"), {"a": large, "b": small}).output
    assert output is not None
    assert output["b"] == small
    assert output["a"]["bytes"] == INLINE_LIMIT + 2
    assert opened(output, judge.kept) == {"a": large, "b": small}
    assert opened([output, 1], judge.kept) == [{"a": large, "b": small}, 1]


def test_one_value_that_is_too_large_is_kept_beside(judge: Judge) -> None:
    large = ["x" * INLINE_LIMIT]
    output = judge({"result": large}).output
    assert output != {"result": large}
    assert opened(output, judge.kept) == {"result": large}


def test_values_that_come_to_the_limit_together_travel_inline(judge: Judge) -> None:
    value = ["x" * 3_000]
    assert judge({"result": value}).output == {"result": value}


def test_of_the_state_a_condition_is_given_the_large_values_that_it_names() -> None:
    kept = Kept()
    notes = {"artifact": kept.put(b'["long"]'), "bytes": 8}
    lost = {"artifact": "sha256:" + "1" * 64, "bytes": 8}
    items = {"a": {"outputs": {"result": notes}}}
    context = {"items": items, "state": {"notes": notes, "a b": notes, "other": lost}}
    found = opened_for("contains(state.notes, 'x') || state.\"a b\"", context, kept)
    assert found["state"] == {"notes": ["long"], "a b": ["long"], "other": lost}
    assert found["items"] == {"a": {"outputs": {"result": ["long"]}}}
    plain = {"items": {}, "state": {"other": lost}}
    assert opened_for("state.count > `1`", plain, kept) == plain


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([True, None, 1.5, "é", {"a": {"b": ("c",)}}, 2**53 - 1], ""),
        (2**53, "it holds 9007199254740992, which is beyond 2^53"),
        ([-(2**53)], "it holds -9007199254740992, which is beyond 2^53"),
        ({"a": [float("inf")]}, "it holds inf, which is not a finite number"),
        ({"a": "\ud800"}, "it holds the lone surrogate U+D800"),
        ({"\udfff": 1}, "it holds the lone surrogate U+DFFF"),
        ({1: 1}, "it has the key 1, which is not text"),
        ({"a": b""}, "it holds a bytes, which JSON has no form for"),
        ({"é": {"a": True, "b": object()}}, "it holds a object, which JSON has no form for"),
    ],
)
def test_only_what_every_reader_of_json_takes_alike_is_safe(value: Any, reason: str) -> None:
    assert unsafe(value, "it") == reason


def test_keys_that_are_due_are_no_fault() -> None:
    assert keys_fault(("a", "b"), {"b": 1, "a": 2}) == ""


@pytest.mark.parametrize(
    ("usage", "reason", "known"),
    [
        (None, "", None),
        ({"tokens": 5}, "", {"tokens": 5}),
        ({"tokens": 5, "miles": 1}, "it reports usage of 'miles', which is none of", {"tokens": 5}),
        ({"tokens": True}, "it reports True tokens, which is no whole number from 0", None),
        ({"tokens": -1}, "it reports -1 tokens, which is no whole number from 0", None),
        ({"tokens": 2**53}, "tokens, which is no whole number from 0 to 2^53", None),
    ],
)
def test_of_reported_usage_what_is_sound_is_known(usage: Any, reason: str, known: Any) -> None:
    assert reason in (found := usage_fault(usage))
    assert bool(found) == bool(reason)
    assert known_usage(usage) == known


def test_a_file_without_content_a_pipe_or_a_way_out_is_no_evidence(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(b"x")
    (folder / "empty").touch()
    (tmp_path / "outside").write_bytes(b"x")
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "near").symlink_to("file")
    os.mkfifo(folder / "pipe")
    due = "sha256:" + hashlib.sha256(b"x").hexdigest()
    assert file_digest(folder, "file") == file_digest(folder, "near") == due
    for name in ("missing", "empty", "out", "../outside", "pipe", ".", "a\0b"):
        assert file_digest(folder, name) is None, name
