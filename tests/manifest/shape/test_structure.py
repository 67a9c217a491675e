"""Plain data against the language: one fault for each cause, and data that can still be judged."""

import time
from typing import Any

import pytest

from forge_cli.manifest.shape.structure import MAX_FAULTS, structure

ITEM: dict[str, Any] = {"run": ["echo", "hello"], "capabilities": []}
FUNCTION = {"kind": "function", "call": "handlers.py:review"}
ROLE = {"capabilities": [], "handler": FUNCTION}


def manifest(**top: Any) -> dict[str, Any]:
    return {"forge": 1, "work_items": {"hello": ITEM}, **top}


def item(**keys: Any) -> dict[str, Any]:
    return manifest(work_items={"hello": {**ITEM, **keys}})


def role(**keys: Any) -> dict[str, Any]:
    return manifest(roles={"reviewer": {**ROLE, **keys}})


def faults(data: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(error.rule, error.path) for error in structure(data).errors]


def test_a_sound_manifest_is_handed_on_as_it_is() -> None:
    data = manifest(roles={"reviewer": ROLE})
    assert structure(data).data == data
    assert structure(data).errors == ()


@pytest.mark.parametrize("value", ["3", True, 3.0, -1, [3]])
def test_counts_are_whole_numbers_and_nothing_is_converted(value: Any) -> None:
    assert [path for _, path in faults(manifest(budget={"model_calls": value}))] == [
        ("budget", "model_calls")
    ]


@pytest.mark.parametrize("value", ["010", "0o10", "08", "0x1F", "1_000", "1e3", ".inf", ".NaN"])
def test_a_word_that_another_reader_takes_for_a_number_is_ambiguous(value: str) -> None:
    assert faults(manifest(budget={"model_calls": value})) == [
        ("ambiguous-scalar", ("budget", "model_calls"))
    ]


@pytest.mark.parametrize("value", ["NO", "yes", "on", "off", "True"])
def test_a_word_that_another_reader_takes_for_a_boolean_is_ambiguous(value: str) -> None:
    assert faults(item(required=value)) == [
        ("ambiguous-scalar", ("work_items", "hello", "required"))
    ]


def test_a_quoted_boolean_is_text() -> None:
    assert faults(item(required="true")) == [("wrong-type", ("work_items", "hello", "required"))]


def test_an_unquoted_version_is_ambiguous() -> None:
    assert faults(manifest(version=1.1)) == [("ambiguous-scalar", ("version",))]


@pytest.mark.parametrize(
    "name", ["r\u202eole", "zero\u200bwidth", "r\u0435view", "\uff52ole", "\u212a", "cafe\u0301"]
)
def test_ids_are_ascii_slugs(name: str) -> None:
    assert faults(manifest(work_items={name: ITEM})) == [("id-not-slug", ("work_items", name))]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (3, ()),
        ("abort", ()),
        ({"retry": {"max_attempts": "3"}}, ("retry", "max_attempts")),
        ({"retry": {"max_attempts": 3}, "then": "abort"}, ("then",)),
        ({"then": "fail"}, ()),
    ],
)
def test_a_union_is_refused_once_at_the_place_that_its_shape_says(
    value: Any, path: tuple[str, ...]
) -> None:
    assert [found for _, found in faults(item(on_failure=value))] == [
        ("work_items", "hello", "on_failure", *path)
    ]


def test_a_handler_is_judged_by_its_kind() -> None:
    assert faults(role(handler={"kind": "function", "argv": ["x"]})) == [
        ("missing-key", ("roles", "reviewer", "handler")),
        ("unknown-key", ("roles", "reviewer", "handler", "argv")),
    ]


@pytest.mark.parametrize("word", ["knid", "type"])
def test_a_handler_whose_kind_is_misspelt_is_one_fault_at_that_key(word: str) -> None:
    assert faults(role(handler={"argv": 3, word: "command"})) == [
        ("unknown-key", ("roles", "reviewer", "handler", word))
    ]


def test_a_handler_without_a_kind_is_told_first_of_one_that_has_its_keys() -> None:
    (error,) = structure(role(handler={"call": "handlers.py:review"})).errors
    assert (error.rule, error.key, error.known[0]) == ("missing-key", "kind", "function")


def test_a_handler_of_unknown_kind_is_one_fault() -> None:
    assert faults(role(handler={"kind": "comand", "argv": 3})) == [
        ("unknown-kind", ("roles", "reviewer", "handler", "kind"))
    ]


@pytest.mark.parametrize("handler", ["x", ["x"], 3])
def test_a_handler_that_is_no_mapping_is_one_fault(handler: Any) -> None:
    assert faults(role(handler=handler)) == [("wrong-type", ("roles", "reviewer", "handler"))]


def test_null_is_a_fault_wherever_it_stands() -> None:
    data = item(capabilities=None, **{"with": {"deep": [1, None]}})
    assert sorted(faults(data)) == [
        ("null-value", ("work_items", "hello", "capabilities")),
        ("null-value", ("work_items", "hello", "with", "deep", 1)),
    ]


def test_null_keeps_its_meaning_in_json_schemas() -> None:
    assert faults(manifest(schemas={"a@1": {"enum": [None]}})) == []


def test_nothing_is_said_of_what_stands_below_an_unknown_key() -> None:
    assert faults(item(needs={"x": None})) == [("unknown-key", ("work_items", "hello", "needs"))]


def test_a_key_is_not_missing_where_it_is_misspelt() -> None:
    data = manifest(work_items={"hello": {"run": ["echo"], "capabilites": []}})
    assert faults(data) == [("unknown-key", ("work_items", "hello", "capabilites"))]


def test_a_key_is_not_missing_where_its_reader_left_one_out() -> None:
    data = {"forge": 1, "work_items": {"hello": {"run": ["echo"]}}}
    assert structure(data, frozenset({("work_items", "hello")})).errors == ()


@pytest.mark.parametrize(
    ("work", "missing"),
    [
        ({"run": ["echo"]}, "capabilities"),
        ({"script": "echo"}, "capabilities"),
        ({"goal": "Review"}, "capabilities"),
        ({"pattern": "parallel"}, "sub_tasks"),
        ({"sub_tasks": {"a": ITEM}}, "pattern"),
    ],
)
def test_what_an_item_needs_beside_its_other_keys(work: dict[str, Any], missing: str) -> None:
    errors = structure(manifest(work_items={"hello": work})).errors
    assert [(error.rule, error.key) for error in errors] == [("missing-key", missing)]


@pytest.mark.parametrize("work", [{"role": "reviewer"}, {"delegation": "delegation-1"}])
def test_a_role_or_a_delegation_says_what_is_allowed(work: dict[str, Any]) -> None:
    assert faults(manifest(work_items={"hello": work})) == []


@pytest.mark.parametrize("word", ["", " ", "\t\n"])
def test_a_program_has_a_name(word: str) -> None:
    found = faults(manifest(work_items={"a": {"run": [word], "capabilities": []}}))
    assert found == [("wrong-form", ("work_items", "a", "run", 0))]
    found = faults(role(handler={"kind": "command", "argv": [word, "x"]}))
    assert found == [("wrong-form", ("roles", "reviewer", "handler", "argv", 0))]


def test_a_sub_task_shares_what_its_item_says() -> None:
    work = {"pattern": "parallel", "capabilities": [], "sub_tasks": {"a": {"run": ["echo"]}}}
    assert faults(manifest(work_items={"hello": work})) == []


def test_an_item_names_one_who_does_it() -> None:
    assert faults(item(script="echo")) == [("conflicting-keys", ("work_items", "hello", "script"))]


def test_an_item_under_a_delegation_does_not_repeat_the_contract() -> None:
    work = {"delegation": "delegation-1", "budget": {"model_calls": 1}}
    assert faults(manifest(work_items={"hello": work})) == [
        ("conflicting-keys", ("work_items", "hello", "budget"))
    ]


def test_a_list_keeps_its_indexes_when_an_entry_is_unsound() -> None:
    data = structure(item(depends_on=["a", {"x": 1}, "b"])).data
    assert data["work_items"]["hello"]["depends_on"] == ["a", "", "b"]


@pytest.mark.parametrize(
    ("key", "written", "read"),
    [
        ("run", ["sleep", 5], ["sleep", "5"]),
        ("capabilities", "repository-read", ["repository-read"]),
        ("budget", {"model_calls": "3"}, {"model_calls": 3}),
        ("required", "true", True),
        ("timeout", 90, "90"),
        ("budget", [], {}),
    ],
)
def test_what_is_plainly_meant_is_judged_as_such(key: str, written: Any, read: Any) -> None:
    assert structure(item(**{key: written})).data["work_items"]["hello"][key] == read


def test_what_is_not_plainly_meant_is_taken_out_and_lost() -> None:
    found = structure(item(risk="some", needs=["a"]))
    assert found.data == manifest()
    assert found.lost == {
        ("work_items", "hello", "risk"),
        ("work_items", "hello", "depends_on"),
    }


@pytest.mark.parametrize("kind", [None, 3, "comand"])
def test_a_handler_whose_kind_is_not_known_is_lost_with_all_it_holds(kind: Any) -> None:
    found = structure(role(handler={"kind": kind, "extract": {"ok": [[]]}}))
    assert "handler" not in found.data["roles"]["reviewer"]
    assert ("roles", "reviewer", "handler") in found.lost


@pytest.mark.parametrize("word", [3, True, "some"])
def test_nothing_stands_in_for_one_of_several_words(word: Any) -> None:
    assert "risk" not in structure(item(risk=word)).data["work_items"]["hello"]


def test_the_data_that_was_handed_in_stays_as_it_is() -> None:
    data = item(needs=["a"], run=["sleep", 5])
    structure(data)
    assert data == item(needs=["a"], run=["sleep", 5])


def test_a_file_with_too_many_faults_is_hopeless() -> None:
    found = structure(manifest(**{f"key{n}": n for n in range(MAX_FAULTS + 1)}))
    assert found.hopeless
    assert len(found.errors) == MAX_FAULTS + 1
    assert found.data == {}


def test_ten_thousand_items_take_less_than_a_second_of_cpu() -> None:
    data = manifest(
        work_items={f"item{n}": {**ITEM, "with": {"a": "${inputs.a}"}} for n in range(10_000)}
    )
    structure(manifest())
    started = time.process_time()
    assert structure(data).errors == ()
    assert time.process_time() - started < 1


def test_nothing_is_told_of_what_stands_in_for_a_faulty_value() -> None:
    found = structure(manifest(work_items={"a": {"run": "", "capabilities": []}}))
    assert [(error.rule, error.path) for error in found.errors] == [
        ("wrong-type", ("work_items", "a", "run"))
    ]
