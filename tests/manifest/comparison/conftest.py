"""A manifest with something of everything, and what it means to change one value of it."""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from forge_cli.manifest.check import examine, subject_of
from forge_cli.manifest.comparison.changes import Change
from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.compilation.compile import compile as compile_manifest
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.files import Files
from forge_cli.manifest.reading.source import parse

Data = dict[str, Any]
Edit = Callable[..., Data]
Sides = Callable[..., Side]
Compared = Callable[..., list[Change]]

FILES = {
    "handlers.py": b"def supervise(turn): ...\ndef review(turn): ...\n",
    "prompts/lead.md": b"Lead.\n",
}

BASE: Data = {
    "forge": 1,
    "name": "base",
    "version": "1.2.3",
    "inputs": {
        "change": {"type": "string", "default": "the token refresh"},
        "issue": {"type": "integer"},
    },
    "env": ["CI"],
    "secrets": ["GH_TOKEN", "NPM_TOKEN"],
    "capabilities": {"search-logs": ["tool:logs/query"]},
    "scope": ["files:src/**", "files:tests/**", "files:docs/**"],
    "budget": {"model_calls": 60, "cost_usd": 12},
    "deadline": "4h",
    "settings": {"hierarchical_max_depth": 3, "max_concurrency": 4, "evidence": "full"},
    "join": {"minimum_successes": 2},
    "labels": {"team": "auth"},
    "roles": {
        "lead": {
            "version": 7,
            "capabilities": ["repository-read", "repository-write", "search-logs", "test-run"],
            "outputs": ["plan", "diff"],
            "scope": ["files:src/**", "files:tests/**"],
            "budget": {"model_calls": 20},
            "delegates": {
                "to": ["reviewer", "auditor"],
                "capabilities": ["repository-read", "test-run"],
                "depth": 2,
            },
            "handler": {"kind": "function", "call": "handlers.py:supervise"},
            "model_family": "claude",
            "instructions": "prompts/lead.md",
        },
        "reviewer": {
            "version": 4,
            "capabilities": ["repository-read", "test-run"],
            "scope": ["files:src/**", "files:tests/**"],
            "outputs": ["findings", "verdict"],
            "handler": {
                "kind": "command",
                "argv": ["python3", "review.py"],
                "secrets": ["GH_TOKEN"],
                "max_usage": {"model_calls": 1},
            },
        },
        "auditor": {
            "capabilities": ["repository-read", "test-run"],
            "scope": ["files:src/**"],
            "outputs": ["findings"],
            "handler": {"kind": "command", "argv": ["audit"]},
        },
        "scribe": {
            "capabilities": ["repository-read"],
            "outputs": ["notes"],
            "handler": {"kind": "command", "argv": ["scribe"]},
        },
    },
    "schemas": {
        "findings@3": {
            "type": "object",
            "required": ["findings"],
            "properties": {"findings": {"type": "array", "maxItems": 9}},
        }
    },
    "context_packages": {
        "brief": {
            "summary": {
                "source": "attempt-31",
                "author": "agent:lead",
                "confidence": "0.8",
                "text": "Done.",
            }
        }
    },
    "delegations": {
        "d-1": {
            "delegator": "agent:lead@7",
            "delegate": "agent:reviewer@4",
            "purpose": "Review the change",
            "scope": ["files:src/**"],
            "authority": ["repository-read"],
            "context_package": "context:brief",
            "completion": "schema:findings@3",
            "criteria": ["length(findings) > `0`"],
            "outputs": ["findings"],
            "deadline": "90m",
            "budget": {"model_calls": 6},
            "depth": 0,
            "evidence": ["findings"],
            "on_failure": "escalate",
            "return_channel": "state:findings",
        }
    },
    "state": {"findings": {"owner": "reviewer", "merge": "reject"}},
    "work_items": {
        "patch": {
            "role": "lead",
            "goal": "Make the change: ${inputs.change}",
            "capabilities": ["repository-read", "repository-write"],
            "scope": ["files:src/**"],
            "outputs": ["diff"],
            "writes": ["files:src/auth/**"],
            "budget": {"model_calls": 9},
            "deadline": "2h",
            "timeout": "30m",
            "criteria": ["diff != ''", "length(diff) > `3`"],
            "evidence": ["diff"],
            "with": {"depth": 2},
            "env": {"CI": "1"},
            "secrets": ["GH_TOKEN"],
            "on_failure": {"retry": {"max_attempts": 2, "backoff": "1s"}, "then": "escalate"},
            "labels": {"team": "auth"},
        },
        "review": {
            "delegation": "d-1",
            "with": {"change": "${items.patch.outputs.diff}"},
        },
        "note": {
            "capabilities": ["repository-read"],
            "outputs": ["notes"],
            "required": False,
            "after": ["review"],
        },
        "test": {
            "run": ["pytest", "-q"],
            "capabilities": ["test-run"],
            "depends_on": ["patch"],
            "risk": "reversible",
        },
        "scan": {
            "script": "grep -r x .",
            "capabilities": ["repository-read"],
            "for_each": ["api", "web"],
            "max_parallel": 2,
            "approval": "required",
        },
        "drafts": {
            "pattern": "parallel",
            "sub_tasks": {
                "one": {"role": "scribe", "goal": "Note one thing"},
                "two": {"role": "scribe", "goal": "Note another thing"},
            },
        },
        "talk": {
            "pattern": "broadcast",
            "channels": ["red", "blue"],
            "sub_tasks": {
                "one": {"role": "scribe", "goal": "Say", "posts": ["red"], "listens": ["blue"]},
                "two": {"role": "scribe", "goal": "Hear"},
            },
        },
        "design": {
            "pattern": "joint",
            "rounds": 3,
            "sub_tasks": {
                "one": {"role": "scribe", "goal": "One side"},
                "two": {"role": "scribe", "goal": "The other"},
            },
        },
        "check": {
            "role": "reviewer",
            "goal": "Check",
            "outputs": ["verdict"],
            "review": {"of": ["patch", "test"], "quorum": 2},
        },
    },
    "outputs": {"findings": "${items.review.outputs.findings}"},
}


@pytest.fixture(scope="session")
def base() -> Data:
    """The manifest itself."""
    return BASE


@pytest.fixture
def edited() -> Edit:
    """A copy of the manifest with values at paths (dots between keys); `...` takes a key out."""

    def edit(changes: Mapping[str, Any], data: Data | None = None) -> Data:
        copied: Data = copy.deepcopy(BASE if data is None else data)
        for path, value in changes.items():
            *above, last = path.split(".")
            part = copied
            for key in above:
                part = part.setdefault(key, {})
            if value is ...:
                del part[last]
            else:
                part[last] = value
        return copied

    return edit


@pytest.fixture
def side() -> Sides:
    """A manifest's text or data, compiled; it must not have an error."""

    def of(manifest: str | Data, files: Mapping[str, bytes] = FILES) -> Side:
        text = manifest if isinstance(manifest, str) else json.dumps(manifest, indent=1)
        beside = Files(None, files)
        subject = subject_of(parse(text.encode()), "base.yaml", None, beside)
        errors = [f.message for f in examine(subject) if f.severity == "error"]
        assert errors == []
        plan = compile_manifest(subject.topology, "base.yaml", beside)
        return Side(plan, subject.topology, Handlers(beside))

    return of


@pytest.fixture
def changes(edited: Edit, side: Sides) -> Compared:
    """What it means to change values of the manifest, given as for `edited`."""

    def of(edits: Mapping[str, Any]) -> list[Change]:
        return compare(side(BASE), side(edited(edits)))

    return of
