"""Handlers of installed plug-ins: run like forge's own, and held to the same contracts."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

Install = Callable[..., Path]
Forge = Callable[..., tuple[int, str, str]]


class Ran(Protocol):
    code: int
    out: str
    said: str

    def statuses(self) -> dict[str, str]: ...
    def events(self, kind: str, item: str = "") -> list[dict[str, Any]]: ...
    def output(self, item: str) -> Any: ...
    def document(self, name: str) -> Any: ...


RunManifest = Callable[..., Ran]

SOURCE = """
import asyncio, time
from forge_cli.multiagent.turn import TurnResult

class Shout:
    settings = {
        "type": "object",
        "properties": {
            "does": {"enum": ["shout", "count", "block", "wait", "raise", "spend"]},
            "mark": {},
        },
        "required": ["does"],
        "additionalProperties": False,
    }

    async def run(self, turn):
        settings = turn.handler["settings"]
        if settings["does"] == "block":
            time.sleep(600)
        elif settings["does"] == "wait":
            await asyncio.sleep(600)
        elif settings["does"] == "raise":
            raise BaseException("enough")
        usage = {"model_calls": {"spend": 2, "count": 1}.get(settings["does"], 0)}
        text = turn.inputs["text"].upper() + settings.get("mark", "!")
        return TurnResult.done({"result": text}, usage=usage)
"""


@pytest.fixture(autouse=True)
def installed(install: Install) -> None:
    install("acme", "shout = acme_shout_1:Shout", acme_shout_1=SOURCE, version="1.2")


def manifest(handler: Mapping[str, Any], rest: str = "") -> str:
    keys = ", ".join(f"{key}: {value}" for key, value in handler.items())
    return (
        'inputs: {mark: {default: "?"}}\n'
        f"roles: {{crier: {{capabilities: [], handler: {{kind: shout, {keys}}}}}}}\n"
        f"work_items: {{cry: {{role: crier, with: {{text: fire}}, {rest}}}}}\n"
    )


def test_a_turn_of_it_is_accepted_and_its_evidence_holds(run: RunManifest) -> None:
    ran = run(manifest({"does": "count", "max_usage": "{model_calls: 1}"}))
    assert (ran.code, ran.output("cry")) == (0, {"result": "FIRE!"})
    handler = ran.document("plan.json")["roles"]["crier"]["handler"]
    assert (handler["kind"], handler["plug_in"]) == ("shout", "acme 1.2")
    assert handler["config"] == {"settings": {"does": "count"}}
    assert ran.events("turn_ended")[0]["usage"] == {"model_calls": 1}


def test_references_in_its_settings_are_filled(run: RunManifest) -> None:
    ran = run(manifest({"does": "shout", "mark": '"${inputs.mark}"'}), "--input", "mark=*")
    assert ran.output("cry") == {"result": "FIRE*"}


def test_its_result_is_held_against_the_criteria(run: RunManifest) -> None:
    ran = run(manifest({"does": "shout"}, """criteria: ["result == 'quiet'"]"""))
    assert (ran.code, ran.statuses()) == (1, {"cry": "failed"})


@pytest.mark.parametrize("does", ["block", "wait"])
def test_its_time_is_limited_whatever_it_waits_for(run: RunManifest, does: str) -> None:
    ran = run(manifest({"does": does}, "timeout: 1s"))
    assert (ran.code, ran.statuses()) == (1, {"cry": "failed"})
    assert ran.events("turn_ended")[0]["kind"] == "timeout"


def test_an_exception_is_a_failure_with_its_place(run: RunManifest) -> None:
    ran = run(manifest({"does": "raise"}))
    assert ran.code == 1
    assert "acme_shout_1.py:23: BaseException: enough" in ran.said


def test_what_it_uses_beyond_its_slice_fails_the_item(run: RunManifest) -> None:
    ran = run(manifest({"does": "spend", "max_usage": "{model_calls: 1}"}))
    assert (ran.code, ran.statuses()) == (1, {"cry": "failed"})
    assert ran.events("turn_ended")[0]["usage"] == {"model_calls": 2}


def test_the_plan_says_whose_it_is(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("forge: 1\n" + manifest({"does": "shout"}), "utf-8")
    code, out, _ = forge("plan", "m.yaml")
    assert code == 0
    assert "plug-in shout, of acme 1.2" in out


def test_validate_tells_a_bad_setting_and_run_refuses_it(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("forge: 1\n" + manifest({"does": "shut"}), "utf-8")
    code, out, _ = forge("validate", "m.yaml", "--format", "concise")
    assert code == 1
    assert "'does' of the handler of role 'crier': 'shut' is not one of ['shout', 'count'" in out
    assert forge("run", "m.yaml")[0] == 2
