"""The model of handlers: what a role's turns call, told apart by `kind`."""

from typing import Annotated, Literal, Required

from pydantic import Field
from typing_extensions import TypedDict

from forge_cli.manifest.forms import CALL, EXIT_STATUS
from forge_cli.manifest.model.words import (
    Argv,
    Budget,
    Count,
    Env,
    Id,
    Money,
    Sandbox,
    Variable,
    Words,
    key,
    strict,
)

MaxUsage = Annotated[
    Budget, key("What one call may report as used; it is reserved before.", {"model_calls": 1})
]
Secrets = Annotated[
    list[Variable], key("Secrets of the run that its environment holds.", ["GH_TOKEN"])
]
Environment = Annotated[Env, key("Variables of its environment.", {"CI": "1"})]
Confinement = Annotated[
    Sandbox,
    key("What holds its program; if absent, the strongest that works. `off` is nothing.", "off"),
]
Grace = Annotated[
    str,
    key("How long it may tidy up after TERM before KILL; 5s if absent.", "30s", default="5s"),
]
MaxOutput = Annotated[
    Count,
    key(
        "Bytes of each output stream that are kept; 16777216 if absent.", 1048576, default=16777216
    ),
]


@strict
class Function(TypedDict, total=False):
    """A Python function in a file beside the manifest."""

    kind: Required[Annotated[Literal["function"], key("A Python function.", "function")]]
    call: Required[
        Annotated[
            str,
            Field(pattern=CALL),
            key("File below the manifest's folder, and function.", "handlers.py:review"),
        ]
    ]
    sandbox: Confinement
    max_usage: MaxUsage


@strict
class Extract(TypedDict, total=False):
    """JMESPath over what the program printed."""

    ok: Annotated[str, key("True if the program succeeded.", "!is_error")]
    outputs: Annotated[str, key("The object of outputs.", "structured_output")]
    model_calls: Annotated[str, key("How many requests to models it made.", "num_turns")]
    cost_usd: Annotated[str, key("What it cost in US dollars.", "total_cost_usd")]
    tokens: Annotated[str, key("How many tokens it used.", "usage.total_tokens")]


ExitKind = Literal["error", "timeout", "invalid-input", "invalid-output", "budget"]


@strict
class Command(TypedDict, total=False):
    """A program, started without a shell."""

    kind: Required[Annotated[Literal["command"], key("A program.", "command")]]
    argv: Required[
        Annotated[Argv, key("The program and its arguments.", ["python3", "reviewers/security.py"])]
    ]
    stdin: Annotated[
        Literal["prompt", "json", "none"],
        key("What it reads on standard input; json if absent.", "prompt", default="json"),
    ]
    result: Annotated[
        Literal["text", "stdout-json", "jsonl", "file"],
        key(
            "Where outputs come from; stdout-json if absent. `file` is that of $FORGE_RESULT.",
            "file",
            default="stdout-json",
        ),
    ]
    extract: Annotated[Extract, key("How to read what it printed.", {"ok": "!is_error"})]
    exit_codes: Annotated[
        dict[Annotated[str, Field(pattern=EXIT_STATUS)], ExitKind],
        key("What an exit status other than 0 means.", {"42": "invalid-input"}),
    ]
    grace: Grace
    max_output: MaxOutput
    sandbox: Confinement
    env: Environment
    secrets: Secrets
    max_usage: MaxUsage


@strict
class Prices(TypedDict, total=False):
    """US dollars for a million tokens."""

    input: Required[Annotated[Money, key("For a million tokens that it reads.", "0.80")]]
    output: Required[Annotated[Money, key("For a million tokens that it writes.", "4.00")]]


@strict
class ServerTool(TypedDict, total=False):
    """A tool of an MCP server, and the capability that lets it be called."""

    tool: Required[Annotated[Words, key("Its name, as the server has it.", "read_text_file")]]
    capability: Required[
        Annotated[Id, key("Who holds this may call it, and it may do no more.", "repository-read")]
    ]
    scope_args: Annotated[
        list[Words],
        key("Arguments that are paths or addresses, each held against the scope.", ["path"]),
    ]


ServerTools = Annotated[
    list[ServerTool],
    Field(min_length=1),
    key(
        "The tools that may be called; all others stay hidden.",
        [{"tool": "query", "capability": "logs-read"}],
    ),
]


@strict
class Server(TypedDict, total=False):
    """An MCP server: a program that is started, or an address."""

    argv: Annotated[Argv, key("The program that is the server.", ["logs-mcp", "--read-only"])]
    url: Annotated[str, key("Where the server listens.", "https://mcp.example.org/logs")]
    sandbox: Confinement
    env: Environment
    secrets: Secrets


@strict
class NamedServer(TypedDict, total=False):
    """An MCP server of an agent, and what of it may be called."""

    argv: Annotated[Argv, key("The program that is the server.", ["logs-mcp", "--read-only"])]
    url: Annotated[str, key("Where the server listens.", "https://mcp.example.org/logs")]
    sandbox: Confinement
    env: Environment
    secrets: Secrets
    tools: Required[ServerTools]


@strict
class Agent(TypedDict, total=False):
    """A language model that works turn by turn."""

    kind: Required[Annotated[Literal["agent"], key("A language model.", "agent")]]
    model: Annotated[str, key("Provider and model.", "anthropic:claude-haiku-4-5")]
    base_url: Annotated[str, key("Where the model is served.", "http://127.0.0.1:8080/v1")]
    api_key: Annotated[Variable, key("The secret of the run that is its key.", "ANTHROPIC_API_KEY")]
    instructions: Annotated[Words, key("What it is told about its role.", "You review code.")]
    instructions_file: Annotated[Words, key("The same, in a file.", "prompts/review.md")]
    tools: Annotated[list[str], key("Tools that it is shown.", ["read_file", "tool:logs/query"])]
    servers: Annotated[
        dict[Id, NamedServer],
        key(
            "MCP servers whose tools it is shown, by name.",
            {"logs": {"argv": ["logs-mcp"], "tools": [{"tool": "query", "capability": "read"}]}},
        ),
    ]
    max_turns: Annotated[Count, key("Turns that one item may take; 50 if absent.", 20, default=50)]
    prices: Annotated[
        Prices, key("Prices of a model that forge has none for.", {"input": "0.80", "output": "4"})
    ]


@strict
class Mcp(TypedDict, total=False):
    """Tools of an MCP server."""

    kind: Required[Annotated[Literal["mcp"], key("Tools of an MCP server.", "mcp")]]
    server: Required[Annotated[Server, key("The server.", {"argv": ["logs-mcp"]})]]
    tools: Required[ServerTools]


@strict
class Preset(TypedDict, total=False):
    """A known command-line agent; `forge plan` shows the command it expands to."""

    kind: Required[
        Annotated[
            Literal["claude-code", "codex", "gemini-cli", "opencode", "qwen-code"],
            key("A command-line agent.", "claude-code"),
        ]
    ]
    model: Annotated[str, key("The model that it is to use.", "claude-sonnet-4-5")]
    grace: Grace
    max_output: MaxOutput
    sandbox: Confinement
    env: Environment
    secrets: Secrets
    max_usage: MaxUsage


Handler = Annotated[Function | Command | Agent | Mcp | Preset, Field(discriminator="kind")]
