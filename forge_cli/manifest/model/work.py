"""The model of work items and their sub-tasks."""

from typing import Annotated, Any, Literal, Required

from pydantic import Field
from typing_extensions import TypedDict

from forge_cli.manifest.model.contracts import (
    Capabilities,
    Criteria,
    Deadline,
    EvidenceNeeded,
    OnFailure,
    Outputs,
    ReturnChannel,
    Scope,
)
from forge_cli.manifest.model.handlers import Confinement, Environment, Secrets
from forge_cli.manifest.model.words import Argv, Budget, Count, Id, Labels, Words, key, strict


@strict
class Undo(TypedDict, total=False):
    """A program that undoes what the item did."""

    run: Required[Annotated[Argv, key("The program and its arguments.", ["./undo.sh"])]]


@strict
class Review(TypedDict, total=False):
    """Which items this one reviews, and how many independent votes it takes."""

    of: Required[Annotated[list[str], key("The items that are reviewed.", ["patch"])]]
    quorum: Required[
        Annotated[Count, key("Votes needed, those of dependent reviewers counted as one.", 2)]
    ]


_With = TypedDict(
    "_With",
    {
        "with": Annotated[
            dict[Id, Any],
            key(
                "Inputs of the item. A reference to an output is an order as well.",
                {"diff": "${items.patch.outputs.diff}"},
            ),
        ]
    },
    total=False,
)


@strict
class Work(_With, total=False):
    """What items and sub-tasks have in common."""

    role: Annotated[Words, key("The role that does it.", "reviewer")]
    delegation: Annotated[Words, key("The contract under which it is done.", "delegation-204")]
    run: Annotated[Argv, key("A program and its arguments, without a shell.", ["pytest", "-q"])]
    script: Annotated[
        Words, key("A bash text; inputs arrive as $INPUT_<NAME>.", 'test "$INPUT_WHO" = world')
    ]
    goal: Annotated[
        Words, key("What for; the handler is given it as its purpose.", "Review the change")
    ]
    capabilities: Annotated[
        Capabilities, key("What is allowed; [] is nothing.", ["repository-read", "test-run"])
    ]
    scope: Scope
    outputs: Annotated[Outputs, key("Keys of the result object, exactly these.", ["diff"])]
    depends_on: Annotated[list[str], key("Items that must be accepted before.", ["build"])]
    after: Annotated[list[str], key("Items that must have ended, however.", ["build"])]
    when: Annotated[
        Words,
        key(
            "A JMESPath condition over inputs, items, state; false skips it and its dependents.",
            "items.update.outputs.changed",
        ),
    ]
    for_each: Annotated[
        list[Any] | str,
        key(
            "Done once for each element of a list, which is `${each}`; outputs become lists.",
            ["api", "web"],
            "${inputs.parts}",
        ),
    ]
    max_parallel: Annotated[
        Count, key("Elements at a time; as many as the run allows if absent.", 4)
    ]
    required: Annotated[
        bool, key("Whether its failure fails the run; true if absent.", False, default=True)
    ]
    writes: Annotated[
        list[str],
        key(
            "What it may change. Absent: its scope if it may write, else nothing.",
            ["files:src/**"],
        ),
    ]
    risk: Annotated[
        Literal["read_only", "reversible", "irreversible"],
        key("What a mistake costs; it follows from the grant if absent.", "irreversible"),
    ]
    approval: Annotated[
        Literal["required"],
        key("It pauses until a person approves its inputs; what is irreversible does.", "required"),
    ]
    compensate: Annotated[
        Literal["restore"] | Undo,
        key(
            "How it is undone: what is below `writes` put back, or a program.",
            "restore",
            {"run": ["./undo.sh"]},
        ),
    ]
    budget: Annotated[Budget, key("Reserved for it at its start.", {"cost_usd": 2})]
    deadline: Deadline
    timeout: Annotated[
        str, key("The most that one attempt may take; 1h if absent.", "15m", default="1h")
    ]
    completion: Annotated[
        Words,
        key(
            "The JSON Schema that its outputs must meet: `schema:<id>@<version>` or a path.",
            "schemas/verdict.json",
        ),
    ]
    criteria: Criteria
    evidence: EvidenceNeeded
    context_package: Annotated[
        Words,
        key(
            "What it gets to know beside its inputs: `context:<package>`.", "context:sec-review-88"
        ),
    ]
    on_failure: OnFailure
    on_crash: Annotated[
        Literal["rerun", "hold"],
        key(
            "When an attempt's end is unknown. Absent: `rerun` if read_only, else `hold`.",
            "hold",
        ),
    ]
    return_channel: ReturnChannel
    review: Annotated[
        Review,
        key(
            "Whose result it reviews, and how many votes it takes. Not run by this version.",
            {"of": ["patch"], "quorum": 2},
        ),
    ]
    complexity: Annotated[
        Literal["low", "medium", "high"],
        key(
            "Only `high` may insert steps; medium if absent.",
            "high",
            default="medium",
        ),
    ]
    max_steps: Annotated[
        Count,
        key("Steps that it may insert; 20 if absent.", 40, default=20),
    ]
    env: Environment
    secrets: Secrets
    sandbox: Confinement
    labels: Annotated[Labels, key("Free words that are kept in evidence.", {"team": "auth"})]


@strict
class SubTask(Work, total=False):
    """A part of an item with a pattern; what the item says holds for it, too."""

    posts: Annotated[
        list[Id],
        key("Channels of a broadcast item that it may post to; all if absent.", ["incident"]),
    ]
    listens: Annotated[
        list[Id],
        key(
            "What it hears: channels of a broadcast item, tags of a joint one; all if absent.",
            ["incident"],
        ),
    ]


@strict
class Item(Work, total=False):
    """One piece of work: a contract whose delegator is the run."""

    pattern: Annotated[
        Literal["parallel", "joint", "broadcast", "resolve"],
        key("How its sub-tasks work together.", "parallel"),
    ]
    sub_tasks: Annotated[
        dict[Id, SubTask],
        Field(min_length=1),
        key(
            "Its parts, by name. Each is an item with a contract of its own.",
            {"api": {"role": "designer", "goal": "The API"}},
        ),
    ]
    rounds: Annotated[
        Count, key("Rounds that a joint item has at most; 4 if absent.", 2, default=4)
    ]
    channels: Annotated[
        list[Id], key("Channels of a broadcast item; only these can be posted to.", ["incident"])
    ]
