"""The model of roles, delegations and what is handed over with them."""

from typing import Annotated, Any, Literal, Required

from pydantic import Field
from typing_extensions import TypedDict

from forge_cli.manifest.forms import CONFIDENCE
from forge_cli.manifest.model.handlers import Handler
from forge_cli.manifest.model.words import Budget, Count, Id, Number, Whole, Words, key, strict

Capabilities = list[Id]
Outputs = list[Id]
Scope = Annotated[
    list[str],
    key(
        "What it may touch: `files:<glob>` below the workspace, `net:<host>:<port>`.",
        ["files:src/**", "net:github.com:443"],
    ),
]
Criteria = Annotated[
    list[str],
    key(
        "JMESPath conditions over the outputs that must be true; one that errs is false.",
        ["length(findings) > `0`"],
    ),
]
EvidenceNeeded = Annotated[
    list[str],
    key("Outputs and files that must be there and not be empty; kept by digest.", ["findings"]),
]
Deadline = Annotated[str, key("When it must have ended: a time with an offset, or a span.", "90m")]
ReturnChannel = Annotated[
    Words,
    key("A state key that gets its output of that name, or else all of it.", "state:findings"),
]
Then = Literal[
    "fail", "continue", "return-partial", "escalate", "return-partial-and-escalate", "compensate"
]


@strict
class Retry(TypedDict, total=False):
    """How often and after what pause a failed attempt is made again."""

    max_attempts: Required[Annotated[Count, key("Attempts in all, the first one included.", 3)]]
    backoff: Annotated[str, key("Pause before the second attempt; none if absent.", "2s")]
    factor: Annotated[
        Number,
        Field(ge=1, le=1000),
        key("What each further pause is multiplied by; 1 if absent.", 2, default=1),
    ]
    max: Annotated[str, key("The longest pause; no limit if absent.", "60s")]
    on: Annotated[
        list[Literal["timeout", "error", "invalid-output"]],
        key(
            "The failures that are worth another attempt; all three if absent.",
            ["timeout"],
            default=["timeout", "error", "invalid-output"],
        ),
    ]


@strict
class Recovery(TypedDict, total=False):
    """Attempts first, then one of the other policies."""

    retry: Required[
        Annotated[
            Retry,
            key(
                "How many attempts, how far apart, and after which failures.",
                {"max_attempts": 3, "backoff": "2s"},
            ),
        ]
    ]
    then: Annotated[
        Then,
        key("What to do when the last attempt failed; fail if absent.", "escalate", default="fail"),
    ]


OnFailure = Annotated[
    Then | Recovery,
    key(
        "What a failure leads to; fail if absent.",
        "escalate",
        {"retry": {"max_attempts": 3}, "then": "escalate"},
        default="fail",
    ),
]


@strict
class Delegates(TypedDict, total=False):
    """What a role may hand on to others."""

    to: Required[Annotated[list[str], key("Roles that it may delegate to.", ["reviewer"])]]
    capabilities: Annotated[
        Capabilities, key("What it may hand on; the role's if absent.", ["repository-read"])
    ]
    depth: Annotated[
        Whole, key("How many contracts may follow below this one; 1 if absent.", 2, default=1)
    ]


@strict
class Role(TypedDict, total=False):
    """Who can do something: capabilities, outputs, and the handler behind them."""

    version: Annotated[
        Count,
        key("Rises when the role changes; 1 if absent. `agent:reviewer@4` names it.", 4, default=1),
    ]
    capabilities: Required[
        Annotated[Capabilities, key("All that it may be granted.", ["repository-read"])]
    ]
    outputs: Annotated[
        Outputs, key("Keys of its result; [result] if absent.", ["verdict"], default=["result"])
    ]
    scope: Scope
    budget: Annotated[Budget, key("The most that one item of it may spend.", {"model_calls": 6})]
    delegates: Annotated[
        Delegates,
        key(
            "To whom it may hand work, and which; nobody if absent.",
            {"to": ["reviewer"], "depth": 1},
        ),
    ]
    handler: Required[
        Annotated[
            Handler,
            key(
                "What does the work: a function, a program.",
                {"kind": "function", "call": "handlers.py:review"},
            ),
        ]
    ]
    model_family: Annotated[
        str, key("Reviewers that share it are not independent of each other.", "claude")
    ]
    instructions: Annotated[
        str, key("Reviewers that share it are not independent of each other.", "prompts/review.md")
    ]


@strict
class Delegation(TypedDict, total=False):
    """A contract between two agents."""

    id: Annotated[str, key("Equals the key, if it is written at all.", "delegation-204")]
    parent_attempt: Annotated[str, key("Recorded; grants nothing.", "attempt-31")]
    delegator: Required[Annotated[Words, key("Who asks.", "agent:supervisor@7")]]
    delegate: Required[Annotated[Words, key("Who is asked.", "agent:security-reviewer@4")]]
    purpose: Required[Annotated[Words, key("What for.", "Review changed authorization paths")]]
    scope: Required[Scope]
    authority: Required[
        Annotated[Capabilities, key("What the delegate may use; [] is nothing.", ["test-run"])]
    ]
    context_package: Annotated[
        Words,
        key(
            "What it gets to know beside its inputs: `context:<package>`.", "context:sec-review-88"
        ),
    ]
    completion: Required[
        Annotated[Words, key("The schema that the result must meet.", "schema:security-findings@3")]
    ]
    criteria: Criteria
    outputs: Annotated[Outputs, key("Keys of the result; the role's if absent.", ["findings"])]
    deadline: Required[Deadline]
    budget: Required[Annotated[Budget, key("The most it may spend.", {"model_calls": 6})]]
    depth: Annotated[
        Whole, key("How many contracts may follow below this one; 0 if absent.", 1, default=0)
    ]
    evidence: EvidenceNeeded
    on_failure: Required[OnFailure]
    return_channel: ReturnChannel


@strict
class Summary(TypedDict, total=False):
    """What somebody found out, with its source and what is open."""

    source: Required[Annotated[str, key("Where it comes from.", "attempt-31")]]
    author: Required[Annotated[str, key("Who wrote it.", "agent:supervisor@7")]]
    confidence: Required[
        Annotated[str, Field(pattern=CONFIDENCE), key("From 0 to 1, as decimal text.", "0.8")]
    ]
    text: Required[Annotated[Words, key("The summary.", "The login paths changed.")]]
    unresolved_questions: Annotated[list[str], key("What is open.", ["Is the admin path covered?"])]
    artifacts: Annotated[list[str], key("Exact files that go with it.", ["files:docs/policy.md"])]


@strict
class ContextPackage(TypedDict, total=False):
    """What a delegate gets to know beside its inputs."""

    summary: Annotated[
        Summary,
        key(
            "What the delegate needs to know.",
            {"source": "attempt-31", "author": "agent:lead", "confidence": "0.8", "text": "Done."},
        ),
    ]
    transcript: Annotated[str, key("A log that belongs to the summary.", "files:logs/chat.md")]
    max_bytes: Annotated[Count, key("The most that the package may weigh.", 65536)]


@strict
class StateKey(TypedDict, total=False):
    """A value that several items share."""

    owner: Required[Annotated[Words, key("The role that may write it.", "reviewer")]]
    merge: Annotated[
        Literal["reject", "append", "union"],
        key("What happens when two write it; reject if absent.", "append", default="reject"),
    ]


@strict
class Input(TypedDict, total=False):
    """An input of the run; without a default it is required."""

    type: Annotated[
        Literal["string", "number", "integer", "boolean", "array", "object"],
        key("The type of its value; any if absent.", "string"),
    ]
    default: Annotated[Any, key("Its value where none is given.", "world")]
    description: Annotated[str, key("What it is for.", "Number of the issue")]
