"""Names that lead nowhere, beyond the examples of the rule."""

from collections.abc import Callable

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

AGENT = """forge: 1
secrets: [MODEL_KEY]
roles: {r: {capabilities: [], handler: {kind: agent, model: m, api_key: MODEL_KEY}}}
work_items: {a: {role: r}}
"""


def test_the_key_of_an_agent_is_a_secret_of_the_run(findings: Findings) -> None:
    assert findings(AGENT) == []
    (found,) = findings(AGENT.replace("api_key: MODEL_KEY", "api_key: MODEL_KEYS"))
    assert (found.rule, "'MODEL_KEYS'" in found.message) == ("unknown-reference", True)
