"""Tools of MCP servers in manifests: who may call them, which is called, what has no effect."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

MANIFEST = """\
forge: 1
capabilities: {{look: [file-read], drop: ["tool:logs/drop"], senior: []}}
roles:
  reader:
    capabilities: [{held}]
    handler: {{kind: mcp, server: {server}, tools: [{tools}]}}
work_items:
  find: {{role: reader, capabilities: [{granted}]{more}}}
"""
LOOK = "{tool: show, capability: look}"
AGENT = """\
forge: 1
capabilities: {{look: [file-read]}}
roles:
  reader:
    capabilities: [look]
    handler:
      kind: agent
      base_url: http://127.0.0.1:8080/v1
      servers: {{logs: {{{server}, tools: [{{tool: show, capability: {word}}}]}}}}
work_items:
  find: {{role: reader}}
"""


def told(findings: Findings, text: str) -> list[tuple[str, str]]:
    return [(found.rule, found.message) for found in findings(text)]


def written(
    tools: str = LOOK,
    held: str = "look",
    granted: str = "look",
    server: str = "{argv: [x]}",
    more: str = "",
) -> str:
    return MANIFEST.format(held=held, granted=granted, server=server, tools=tools, more=more)


def test_one_tool_that_its_capability_allows_is_fine(findings: Findings) -> None:
    assert told(findings, written()) == []
    assert told(findings, AGENT.format(server="argv: [x]", word="look")) == []


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("{tool: show, capability: senior}", "'senior' does not allow the tool 'show'"),
        ("{tool: show, capability: drop}", "'drop' does not allow the tool 'show'"),
        (
            "{tool: show, capability: read}",
            "role 'reader' does not hold 'read', so the tool 'show' is never called",
        ),
    ],
)
def test_a_tool_that_nobody_may_call_is_told(findings: Findings, tool: str, message: str) -> None:
    text = written(f"{LOOK}, {tool}", held="look, senior, drop")
    assert told(findings, text) == [("ungranted-tool", message)]


def test_so_is_one_of_an_agents_server(findings: Findings) -> None:
    message = "role 'reader' does not hold 'read', so the tool 'show' is never called"
    text = AGENT.format(server="argv: [x]", word="read")
    assert told(findings, text) == [("ungranted-tool", message)]


@pytest.mark.parametrize(("server", "count"), [("logs", 0), ("pages", 1)])
def test_a_word_for_a_tool_of_another_server_of_that_agent_does_not_allow_it(
    findings: Findings, server: str, count: int
) -> None:
    text = AGENT.format(server="argv: [x]", word="look")
    found = told(findings, text.replace("look: [file-read]", f'look: ["tool:{server}/show"]'))
    assert found == [("ungranted-tool", "'look' does not allow the tool 'show'")] * count


@pytest.mark.parametrize(
    ("granted", "many"), [("look, drop", "2 tools: show, drop"), ("senior", "no tool")]
)
def test_an_item_calls_one_tool(findings: Findings, granted: str, many: str) -> None:
    tools = f"{LOOK}, {{tool: drop, capability: drop}}"
    text = written(tools, held="look, senior, drop", granted=granted)
    message = f"item 'find' grants {many}, and one call of one is made"
    assert told(findings, text) == [("unclear-call", message)]


def test_an_address_has_no_environment(findings: Findings) -> None:
    server = '{url: "https://mcp.example.org", env: {A: b}}'
    message = "'env' has no effect in a server of role 'reader'"
    assert told(findings, written(server=server)) == [("inert-key", message)]
    named = AGENT.format(server='url: "https://mcp.example.org", env: {A: b}', word="look")
    assert told(findings, named) == [("inert-key", message)]


def test_a_tool_is_given_no_context(findings: Findings) -> None:
    context = """
context_packages:
  notes: {summary: {source: a, author: b, confidence: "1", text: c}}
"""
    text = written(more=", context_package: context:notes") + context
    message = "'context_package' has no effect in item 'find'"
    assert told(findings, text) == [("inert-key", message)]


def test_a_server_is_a_program_or_an_address(findings: Findings) -> None:
    both = AGENT.format(server='argv: [x], url: "https://mcp.example.org"', word="look")
    assert [rule for rule, _ in told(findings, both)] == ["conflicting-keys"]
    neither = AGENT.format(server="env: {A: b}", word="look")
    assert [rule for rule, _ in told(findings, neither)] == ["missing-key"]


def test_secrets_of_servers_are_those_of_the_run(findings: Findings) -> None:
    text = AGENT.format(server="argv: [x], secrets: [LOGS]", word="look")
    assert [rule for rule, _ in told(findings, text)] == ["unknown-reference"]
