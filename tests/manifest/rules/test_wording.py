"""How faults of the shape are told: names, both values, and what to type."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse


def told(line: str) -> tuple[str, str]:
    text = f"forge: 1\n{line}\n"
    if "work_items" not in line:
        text += "work_items: {a: {run: [x], capabilities: []}}\n"
    found = check(parse(text.encode()), "x.yaml")
    return found[0].message, found[0].hint


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        (
            "roles: [a, b]",
            "expected mapping, found list for 'roles'",
            "write each entry below a name of its own, not in a list:  roles:  and below it  a:",
        ),
        (
            'budget: {model_calls: "3"}',
            "expected whole number, found text '3' for 'model_calls' of 'budget'",
            "remove the quotes: model_calls: 3",
        ),
        (
            "budget: {model_calls: 3.0}",
            "expected whole number, found number 3.0 for 'model_calls' of 'budget'",
            "write  model_calls: 3",
        ),
        (
            "settings: {dynamic_decomposition: 'true'}",
            "expected true or false, found text 'true' for 'dynamic_decomposition' of 'settings'",
            "remove the quotes: dynamic_decomposition: true",
        ),
        (
            "secrets: GH_TOKEN",
            "expected list, found text 'GH_TOKEN' for 'secrets'",
            "write  secrets: [GH_TOKEN]",
        ),
        (
            "deadline: 90",
            "expected text, found whole number 90 for 'deadline'",
            "write  deadline: 90s  if seconds are meant, 90m, 90h or 90d if not",
        ),
        (
            "work_items: {a: {run: [sleep, 5], capabilities: []}}",
            "expected text, found whole number 5 for entry 2 of 'run' of item 'a'",
            'put it in quotes: "5"',
        ),
        (
            "budget: {model_calls: 010}",
            "ambiguous number '010' for 'model_calls' of 'budget'",
            "write  model_calls: 10  (or 8, if it was octal)",
        ),
        (
            "budget: {model_calls: 0x1F}",
            "ambiguous number '0x1F' for 'model_calls' of 'budget'",
            "write  model_calls: 31",
        ),
        (
            "budget: {model_calls: 1_000}",
            "ambiguous number '1_000' for 'model_calls' of 'budget'",
            "write  model_calls: 1000",
        ),
        (
            "budget: {model_calls: 08}",
            "ambiguous number '08' for 'model_calls' of 'budget'",
            "write  model_calls: 8",
        ),
        (
            "budget: {model_calls: 1e3}",
            "ambiguous number '1e3' for 'model_calls' of 'budget'",
            "write it as a decimal number",
        ),
        (
            "budget: {model_calls: .inf}",
            "'.inf' is no finite number for 'model_calls' of 'budget'",
            "write a number, or leave the key out",
        ),
        (
            "settings: {dynamic_decomposition: NO}",
            "'NO' is text, not a boolean, for 'dynamic_decomposition' of 'settings'",
            "write  dynamic_decomposition: false",
        ),
        (
            "version: 1.10",
            "ambiguous number for 'version': unquoted, 1.10 is read as 1.1",
            (
                "put three whole numbers in quotes:  "
                'version: "1.1.0"  or, where it was 1.10,  version: "1.10.0"'
            ),
        ),
        (
            'version: "1.10"',
            "expected a version, found '1.10' for 'version'",
            'write three whole numbers joined by dots, like  "2.1.0"',
        ),
        (
            "budget: {model_calls: -1}",
            "-1 is out of range for 'model_calls' of 'budget': at least 0",
            "write a number that is at least 0",
        ),
        (
            "state: {f: {owner: a, merge: appendd}}",
            "unknown value 'appendd' for 'merge' of state key 'f'",
            "write  merge: append\nknown: reject, append, union",
        ),
        (
            "work_items: {r\u0435view: {run: [x], capabilities: []}}",
            "'r\\u0435view' is no id: it holds U+0435 (CYRILLIC SMALL LETTER IE)",
            "an id has a-z, 0-9, '_' and '-', a letter first, at most 64 characters",
        ),
        (
            "work_items: {Review: {run: [x], capabilities: []}}",
            "'Review' is no id: it holds 'R' (U+0052 LATIN CAPITAL LETTER R)",
            "write  review",
        ),
        (
            "work_items: {2nd: {run: [x], capabilities: []}}",
            "'2nd' is no id: it begins with '2', not with a letter",
            "an id has a-z, 0-9, '_' and '-', a letter first, at most 64 characters",
        ),
        (
            "work_items: {a: {run: [x], capabilities: }}",
            "'capabilities' of item 'a' has no value (null)",
            "write  capabilities: []  for nothing, or what is meant; null says neither",
        ),
        (
            "work_items: {a: {run: [x]}}",
            "item 'a' has no 'capabilities'",
            (
                "write  capabilities: []  for nothing, or put what it may use in the brackets:\n"
                "read, repository-read, write, repository-write, execute, process,\n"
                "test-run, network"
            ),
        ),
        (
            "work_items: {a: {run: [x], script: x, capabilities: []}}",
            "item 'a' has both 'run' and 'script'; only one can hold",
            "delete 'script' or 'run'",
        ),
        (
            "work_items: {a: {delegation: d, budget: {}}}",
            "item 'a' has a 'delegation', which says 'budget'",
            "delete 'budget' or 'delegation'",
        ),
    ],
)
def test_a_fault_is_told_with_names_values_and_a_way_out(
    line: str, message: str, hint: str
) -> None:
    assert told(line) == (message, hint)
