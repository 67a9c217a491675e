"""The tools of agents: what each needs of the grant, and whether it is answered in the turn."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from forge_cli.gateway.schemas import violation
from forge_cli.multiagent.budget import DIMENSIONS
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn


class Tool(NamedTuple):
    """One tool; `action` is what the grant must hold for it to be there at all.

    `asks` tells a tool whose call ends the turn: it changes something, so the engine makes the
    call, as a turn of its own, and answers in the next one.
    """

    name: str
    description: str
    properties: Mapping[str, Json]
    required: tuple[str, ...]
    action: str
    asks: bool = False

    @property
    def parameters(self) -> dict[str, Json]:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def objection(self, arguments: Json) -> str:
        """What is wrong with the arguments of a call, or nothing."""
        schemas = _SCHEMAS if self.name in _SCHEMAS else {self.name: self.parameters}
        fault = violation(schemas, self.name, arguments)
        return f"the arguments of {self.name} do not fit: {fault}" if fault else ""


_PATH = {"type": "string", "description": "From the workspace, like src/main.py."}
_FOLDER = {"type": "string", "description": "From the workspace; all of it if left out."}

TOOLS = (
    Tool(
        "read_file",
        "Read a text file, from a line on.",
        {
            "path": _PATH,
            "first_line": {"type": "integer", "minimum": 1},
            "lines": {"type": "integer", "minimum": 1},
        },
        ("path",),
        "file-read",
    ),
    Tool(
        "list_files",
        "List the files below a folder that you may read.",
        {"folder": _FOLDER},
        (),
        "file-read",
    ),
    Tool(
        "search_files",
        "Find the lines that hold a text, letter by letter, in the files below a folder.",
        {"text": {"type": "string", "minLength": 1, "maxLength": 1_000}, "folder": _FOLDER},
        ("text",),
        "file-read",
    ),
    Tool(
        "write_file",
        "Write a text file, replacing what it holds.",
        {"path": _PATH, "content": {"type": "string"}},
        ("path", "content"),
        "file-write",
        asks=True,
    ),
    Tool(
        "edit_file",
        "Replace a text that stands once in a file by another one.",
        {
            "path": _PATH,
            "old": {"type": "string", "minLength": 1},
            "new": {"type": "string"},
        },
        ("path", "old", "new"),
        "file-write",
        asks=True,
    ),
    Tool(
        "run_command",
        "Run a program in the workspace, without a shell.",
        {"argv": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
        ("argv",),
        "process",
        asks=True,
    ),
)

POST = Tool(
    "post_message",
    "Tell those you work with something; they read it in their next turn.",
    {
        "text": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "channel": {"type": "string"},
    },
    ("text",),
    "",
)
"""What an agent is shown whose item works with others; no grant is needed to talk to these."""

_TEXT = {"type": "string", "minLength": 1}
_TERMS: Mapping[str, Json] = {
    "capabilities": {
        "type": "array",
        "items": {"type": "string"},
        "description": "What may be used for it, of what you may use; [] is nothing.",
    },
    "scope": {"type": "array", "items": {"type": "string"}},
    "budget": {
        "type": "object",
        "properties": {name: {"type": ["number", "string"]} for name in DIMENSIONS},
        "additionalProperties": False,
    },
}

DELEGATE = Tool(
    "delegate_subagent",
    "Have another agent do a part of your task. It knows nothing but what you tell it, may use no"
    " more than you may, and its result is your answer once it is done.",
    {"name": _TEXT, "task": _TEXT, **_TERMS, "instructions": _TEXT},
    ("name", "task", "capabilities"),
    "",
    asks=True,
)
"""What an agent is shown whose role delegates."""

DECOMPOSE = Tool(
    "decompose_task",
    "Insert steps behind your task, done one after the other once you are done; your own result"
    " counts when the last of them has ended.",
    {
        "steps": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"goal": _TEXT, **_TERMS, "role": _TEXT, "with": {"type": "object"}},
                "required": ["goal", "capabilities"],
                "additionalProperties": False,
            },
        }
    },
    ("steps",),
    "",
    asks=True,
)
"""What an agent is shown whose item may insert steps."""

NAMED: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
_SCHEMAS: Mapping[str, Json] = {tool.name: tool.parameters for tool in TOOLS}


def offered(turn: Turn) -> dict[str, Tool]:
    """The tools that the turn's agent is shown: what its grant allows, as far as `tools` goes."""
    shown = turn.handler.get("tools")
    granted = {
        tool.name: tool
        for tool in TOOLS
        if tool.action in turn.grant.actions and (shown is None or tool.name in shown)
    }
    asking = {tool.name: tool for tool in _asking(turn) if shown is None or tool.name in shown}
    return granted | asking | ({POST.name: POST} if turn.group else {})


def _asking(turn: Turn) -> Iterator[Tool]:
    """How the turn's agent may have work done by others."""
    if turn.delegates:
        to = {"enum": list(turn.delegates), "description": "The agent's role."}
        yield DELEGATE._replace(properties={**DELEGATE.properties, "name": to})
    if turn.max_steps:
        yield DECOMPOSE


def withheld(name: str, turn: Turn) -> dict[str, Json]:
    """What a tool takes that the turn's agent is not shown, as a denial says it; or nothing.

    That is for tools of forge only: of any other there is no contract that could grant it.
    """
    if name == DELEGATE.name:
        return {"action": "delegate"}
    if name not in NAMED:
        return {}
    action = NAMED[name].action
    # Whose action is granted is held back by `tools` of the handler.
    return {"action": action} | ({"key": "tools"} if action in turn.grant.actions else {})
