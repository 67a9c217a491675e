"""The security reviewer: holds the changed paths against the policy it was handed."""

import json
import sys
from pathlib import Path

HERE = Path("manifests/authorization-review")
REFRESH = "security/refresh.py"
RULES = (
    (1, "_issued.pop(", "a refresh token can be used more than once"),
    (2, ">= MAX_AGE", "a token at its age limit is still taken"),
    (3, "self._clock()", "the age of a token does not come from the clock handed in"),
)
"""Number of the rule in the policy, what a sound refresh path holds, what its absence means."""


def findings(source, tests):
    """Breaches of the policy (high) and of rules that no test holds (low)."""
    for number, sound, text in RULES:
        if sound not in source:
            yield {"file": REFRESH, "rule": number, "severity": "high", "text": text}
    if "second" not in tests:
        text = "no test redeems a token a second time"
        yield {"file": "tests/test_refresh.py", "rule": 1, "severity": "low", "text": text}


def main():
    turn = json.load(sys.stdin)
    if REFRESH not in turn["inputs"]["change"]:
        raise SystemExit("the change does not touch the refresh path")
    source = (HERE / REFRESH).read_text("utf-8")
    tests = (HERE / "tests" / "test_refresh.py").read_text("utf-8")
    json.dump({"findings": list(findings(source, tests))}, sys.stdout)


if __name__ == "__main__":
    main()
