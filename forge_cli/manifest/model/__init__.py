"""The manifest language as types: the one source of the checks, the editors' schema and the help.

Only the generator, the tests and the fallback of `structure` import it: building its validator
takes longer than all the rest of `forge validate`.
"""

from typing import Annotated, Any, Literal, Required

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from forge_cli.manifest.forms import SCHEMA_ID, VERSION
from forge_cli.manifest.model.contracts import (
    ContextPackage,
    Delegation,
    Input,
    Role,
    StateKey,
)
from forge_cli.manifest.model.words import (
    Budget,
    Count,
    Id,
    Labels,
    Variable,
    Whole,
    Words,
    key,
    strict,
)
from forge_cli.manifest.model.work import Item

Version = Annotated[int, Field(ge=1, le=1, json_schema_extra={"const": 1})]
"""Not a literal: to Python, and so to a literal, true is 1."""


@strict
class Settings(TypedDict, total=False):
    """Limits of the run; flags and environment can only lower them."""

    max_concurrency: Annotated[Count, key("Turns at a time; 4 if absent.", 8, default=4)]
    max_joint_agents: Annotated[
        Count, key("Sub-tasks that a joint item has at most; 8 if absent.", 4, default=8)
    ]
    hierarchical_max_depth: Annotated[
        Whole, key("Contracts that may follow below the run; 3 if absent.", 1, default=3)
    ]
    broadcast_buffer_size: Annotated[
        Whole,
        key(
            "Messages that wait for a reader at most; 0: no limit, 256 if absent.",
            64,
            default=256,
        ),
    ]
    dynamic_decomposition: Annotated[
        bool,
        key(
            "Whether items may insert steps; false if absent.",
            True,
            default=False,
        ),
    ]
    evidence: Annotated[
        Literal["full", "digests"],
        key("What evidence keeps of bodies; full if absent.", "digests", default="full"),
    ]


@strict
class Join(TypedDict, total=False):
    """When the run counts as complete."""

    minimum_successes: Required[Annotated[Whole, key("Roles that must succeed.", 2)]]


@strict
class Manifest(TypedDict, total=False):
    """A forge manifest, version 1: who may do what, under which contract."""

    forge: Required[Annotated[Version, key("The version of the language; this forge reads 1.", 1)]]
    name: Annotated[Id, key("The file's stem if absent.", "authorization-review")]
    version: Annotated[
        str,
        Field(pattern=VERSION),
        key("Of the topology; 0.0.0 if absent.", "2.1.0", default="0.0.0"),
    ]
    description: Annotated[str, key("What the manifest is for.", "Review authorization.")]
    labels: Annotated[Labels, key("Free words that are kept in evidence.", {"team": "auth"})]
    inputs: Annotated[
        dict[Id, Input], key("What the run is given.", {"issue": {"description": "Its number"}})
    ]
    env: Annotated[list[Variable], key("Variables readable as ${env.X}.", ["CI"])]
    secrets: Annotated[
        list[Variable],
        key(
            "Variables for handlers alone; never interpolated, replaced wherever forge writes.",
            ["GH_TOKEN"],
        ),
    ]
    include: Annotated[
        list[str],
        key(
            "Files of the workspace with further roles, schemas and capabilities.",
            ["../team/roles.yaml"],
        ),
    ]
    capabilities: Annotated[
        dict[Id, list[str]],
        key("What a capability's word lets a handler do.", {"search-logs": ["tool:logs/query"]}),
    ]
    scope: Annotated[
        list[str],
        key(
            "What the run may touch; [files:**] if absent: all below the workspace.",
            ["files:src/**"],
            default=["files:**"],
        ),
    ]
    budget: Annotated[
        Budget,
        key(
            "The most that the run may spend; {model_calls: 100} if absent.",
            {"model_calls": 60, "cost_usd": 12},
            default={"model_calls": 100},
        ),
    ]
    deadline: Annotated[
        str,
        key(
            "When the run must have ended: a time with an offset, or a span; 6h if absent.",
            "2h",
            default="6h",
        ),
    ]
    settings: Annotated[
        Settings,
        key("Limits of the run; flags and environment only lower them.", {"max_concurrency": 8}),
    ]
    join: Annotated[
        Join,
        key("How many roles must succeed for the run to be complete.", {"minimum_successes": 2}),
    ]
    roles: Annotated[
        dict[Id, Role],
        key(
            "Who can do something: the most that each may use, and what does its work.",
            {
                "reviewer": {
                    "capabilities": ["repository-read"],
                    "handler": {"kind": "function", "call": "handlers.py:review"},
                }
            },
        ),
    ]
    schemas: Annotated[
        dict[Annotated[str, Field(pattern=SCHEMA_ID)], Words | dict[str, Any]],
        key("JSON Schemas: a path, or written here.", {"findings@3": "schemas/findings.json"}),
    ]
    context_packages: Annotated[
        dict[Id, ContextPackage],
        key(
            "What a turn may be given to know beside its inputs, by name.",
            {"brief": {"max_bytes": 65536}},
        ),
    ]
    delegations: Annotated[
        dict[Id, Delegation],
        key("Contracts between two agents.", {"delegation-204": {"delegator": "agent:lead"}}),
    ]
    state: Annotated[
        dict[Id, StateKey],
        key("Values that items share.", {"findings": {"owner": "reviewer", "merge": "append"}}),
    ]
    work_items: Required[
        Annotated[
            dict[Id, Item],
            Field(min_length=1),
            key("What is to be done.", {"hello": {"run": ["echo", "hello"], "capabilities": []}}),
        ]
    ]
    outputs: Annotated[
        dict[Id, Any],
        key(
            "The run's own result, printed as JSON.", {"verdict": "${items.review.outputs.verdict}"}
        ),
    ]


def adapter() -> TypeAdapter[Manifest]:
    """The validator of the whole language; tens of milliseconds to build."""
    return TypeAdapter(Manifest)
