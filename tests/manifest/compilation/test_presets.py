"""A preset is a command in the plan, and can be run."""

import pytest

from forge_cli.handlers.presets import PRESETS
from forge_cli.manifest.compilation.compile import compile as compiled
from forge_cli.manifest.compilation.compile import unsupported
from forge_cli.manifest.files import Files
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.reading.source import parse
from forge_cli.multiagent.plan import Plan


def topology(handler: str) -> Topology:
    text = f"forge: 1\nroles: {{a: {{handler: {handler}}}}}\nwork_items: {{one: {{role: a}}}}"
    data = parse(text.encode()).data
    assert data is not None
    return Topology(data)


def plan(handler: str) -> Plan:
    return compiled(topology(handler), "x.yaml", Files(None))


@pytest.mark.parametrize("kind", PRESETS)
def test_a_preset_is_a_command_that_knows_its_name(kind: str) -> None:
    assert unsupported(topology(f"{{kind: {kind}}}")) == []
    handler = plan(f"{{kind: {kind}}}").roles["a"].handler
    assert (handler.kind, handler.config["preset"]) == ("command", kind)


def test_what_the_preset_says_and_what_the_manifest_says_are_part_of_the_digest() -> None:
    said = (
        "{kind: codex}",
        "{kind: qwen-code}",
        "{kind: codex, model: m}",
        "{kind: codex, grace: 9s}",
    )
    digests = {plan(handler).roles["a"].handler.digest for handler in said}
    assert len(digests) == len(said)


def test_what_one_call_may_use_is_part_of_the_digest() -> None:
    limited = "{kind: codex, max_usage: {cost_usd: 1}}"
    assert plan(limited).digest != plan("{kind: codex}").digest
