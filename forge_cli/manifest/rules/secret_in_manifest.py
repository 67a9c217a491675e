"""Finds tokens and private keys that are written into the manifest.

A manifest is shared, its plan and its evidence are kept. Secrets are named under `secrets` and come
from the environment; their values are replaced wherever forge writes.

Bad:
```yaml
forge: 1
work_items:
  push:
    run: [git, push]
    capabilities: []
    env: {TOKEN: ghp_0123456789abcdefghijABCDEFGHIJ012345}
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
secrets: [GH_TOKEN]
work_items:
  push:
    run: [git, push]
    capabilities: []
    secrets: [GH_TOKEN]
```
"""

import re
from collections.abc import Iterator
from typing import Any, Literal

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.subject import Subject

RULE = "secret-in-manifest"

# The beginnings are what their issuers publish, so that leaked ones can be found.
_SHAPES = {
    "a GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})",
    "a GitLab token": r"glpat-[A-Za-z0-9_-]{20,}",
    "an Anthropic key": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "an OpenAI key": r"sk-(?:proj-)?[A-Za-z0-9_-]{32,}",
    "an AWS access key": r"(?:AKIA|ASIA)[A-Z2-7]{16}",
    "a Google key": r"AIza[A-Za-z0-9_-]{35}",
    "a Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "an npm token": r"npm_[A-Za-z0-9]{36}",
    "a PyPI token": r"pypi-[A-Za-z0-9_-]{50,}",
    "a Hugging Face token": r"hf_[A-Za-z0-9]{34,}",
    "a Stripe key": r"(?:sk|rk)_live_[A-Za-z0-9]{20,}",
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "a signed token (JWT)": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
}
Part = Literal["key", "value"]
_SHORTEST = 15
_ANY = (
    r"(?a)(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<s{number}>{shape})" for number, shape in enumerate(_SHAPES.values()))
    + ")"
)
_NOUNS = tuple(_SHAPES)


def check(subject: Subject) -> Iterator[Finding]:
    """Look at every text of the manifest, keys included; the value itself is never shown."""
    for path, part, text in _texts((), subject.source.data):
        match = re.search(_ANY, text)
        if match:
            noun = _NOUNS[int((match.lastgroup or "s0")[1:])]
            yield Finding(
                RULE,
                Spot(path, part, "take it back where it was issued", match[0]),
                f"this looks like {noun}",
                "name it under  secrets:  and in the item or handler that needs it",
            )


def _texts(path: Path, value: Any) -> Iterator[tuple[Path, Part, str]]:
    """Texts that are long enough, with their places."""
    if isinstance(value, str):
        if len(value) >= _SHORTEST:
            yield path, "value", value
    elif isinstance(value, dict):
        for key, each in value.items():
            if len(key) >= _SHORTEST:
                yield (*path, key), "key", key
            # Plain scalars are the bulk; a call for each of them would be the cost of the rule.
            if isinstance(each, dict | list) or (isinstance(each, str) and len(each) >= _SHORTEST):
                yield from _texts((*path, key), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            if isinstance(each, dict | list) or (isinstance(each, str) and len(each) >= _SHORTEST):
                yield from _texts((*path, index), each)
