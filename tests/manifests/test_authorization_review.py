"""The patch closes the gap and keeps the tests; the reviewer holds the code against the policy."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Handler = Callable[[str, str], Callable[..., dict[str, Any]]]

FILE = "authorization-review/handlers.py"
PROBE = """
from security.refresh import MAX_AGE, Refresher, Refused
now = [0]
refresher = Refresher(lambda: now[0])
once, old = refresher.issue(), refresher.issue()
refresher.redeem(once)
now[0] = MAX_AGE
for token in (once, old):
    try:
        refresher.redeem(token)
        print("taken")
    except Refused as refusal:
        print("leaked" if token in str(refusal) else "refused")
"""


def probe() -> list[str]:
    argv = [sys.executable, "-c", PROBE]
    folder = "manifests/authorization-review"
    said = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    return said.stdout.split()


def review() -> list[dict[str, Any]]:
    turn = json.dumps({"inputs": {"change": "--- a/security/refresh.py"}})
    argv = [sys.executable, "manifests/authorization-review/reviewers/security.py"]
    said = subprocess.run(argv, input=turn, capture_output=True, text=True, check=True)
    findings: list[dict[str, Any]] = json.loads(said.stdout)["findings"]
    return findings


def test_after_the_patch_a_token_is_good_once_and_not_at_its_limit(handler: Handler) -> None:
    assert probe() == ["taken", "taken"]
    handler(FILE, "supervise")()
    assert probe() == ["refused", "refused"]


def test_the_patch_is_not_made_twice(handler: Handler) -> None:
    handler(FILE, "supervise")()
    with pytest.raises(ValueError, match="patched already"):
        handler(FILE, "supervise")()


@pytest.mark.usefixtures("workspace")
def test_before_the_patch_the_reviewer_finds_both_breaches() -> None:
    assert [found["rule"] for found in review() if found["severity"] == "high"] == [1, 2]


def test_after_the_patch_only_the_missing_test_is_found(handler: Handler) -> None:
    handler(FILE, "supervise")()
    assert [(found["rule"], found["severity"]) for found in review()] == [(1, "low")]
