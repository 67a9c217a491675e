import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forge_cli.evidence import forms
from forge_cli.evidence.log import Log, lines_of
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.events import VOCABULARY, Event
from forge_cli.multiagent.plan import Handler, Item, Plan


@pytest.mark.parametrize("name", forms.NAMES)
def test_the_package_has_a_sound_schema_of_every_file(name: str) -> None:
    Draft202012Validator.check_schema(forms.schema(name))
    assert forms.schema(name)["title"]


def test_no_schema_is_left_over() -> None:
    folder = Path(forms.__file__).parent / "schemas"
    assert len(list(folder.iterdir())) == len(forms.NAMES)


@pytest.mark.parametrize("kind", sorted(VOCABULARY))
def test_schema_and_reader_want_the_same_of_an_event(kind: str, tmp_path: Path) -> None:
    whole = dict.fromkeys(VOCABULARY[kind], 0)
    for missing in (None, *whole):
        body = {key: value for key, value in whole.items() if key != missing}
        line = next(seal([Event(0, kind, body=body)], 1, GENESIS)).text
        assert bool(forms.violation("events.jsonl", line.encode())) == (missing is not None)
        (tmp_path / "log").write_text(line + "\n")
        assert readable(tmp_path / "log") == (missing is None)


def test_a_violation_names_the_place() -> None:
    line = json.loads(next(seal([Event(0, "run_stopping", body={"signal": "x"})], 1, GENESIS)).text)
    line["seq"] = 0
    assert forms.violation("events.jsonl", json.dumps(line).encode()).startswith("$.seq: 0 is less")


def readable(path: Path) -> bool:
    try:
        for line in lines_of(path):
            Log().take(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("part", "name"), [(Plan, ""), (Item, "item"), (Handler, "handler")])
def test_the_schema_knows_every_field_of_a_plan(part: type[Any], name: str) -> None:
    whole: Any = forms.schema("plan.json")
    known = (whole["$defs"][name] if name else whole)["properties"]
    assert {field.name for field in fields(part)} <= known.keys()
