"""The feature is really added to the shop, with tests that fail before and pass after."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Handler = Callable[[str, str], Callable[..., dict[str, Any]]]

FILE = "software-delivery/handlers.py"
SHOP = "manifests/software-delivery/shop"
CHANGE = "manifests/software-delivery/change"


def review(diff: str) -> dict[str, Any]:
    turn = json.dumps({"inputs": {"diff": diff}})
    argv = [sys.executable, "manifests/software-delivery/review.py"]
    said = subprocess.run(argv, input=turn, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer


def added(name: str, text: str) -> str:
    return f"--- a/{name}\n+++ b/{name}\n@@ -1,0 +7,1 @@\n+{text}\n"


WITH_A_TEST = added("tests/test_page.py", "    def test_it(self) -> None:")


def build(handler: Handler, free_from: int = 5000) -> dict[str, Any]:
    found = handler(FILE, "research")(project=SHOP)
    return handler(FILE, "build")(project=SHOP, change=CHANGE, free_from=free_from, **found)


def test_the_researcher_finds_template_renderer_and_tests(handler: Handler) -> None:
    notes = handler(FILE, "research")(project=SHOP)["notes"]
    assert notes["template"] == "templates/cart.html"
    assert notes["renderer"] == "page.py"
    assert notes["tests"] == ["tests/test_page.py"]


def test_the_new_tests_fail_before_the_change_and_pass_after_it(handler: Handler) -> None:
    built = build(handler)
    assert built["before"] == {"run": 8, "failed": 4}
    assert built["after"] == {"run": 8, "failed": 0}


def test_the_diff_names_every_file_that_changed(handler: Handler) -> None:
    built = build(handler)
    assert built["files"] == [
        "free_delivery.py",
        "page.py",
        "static/cart.css",
        "templates/cart.html",
        "tests/test_free_delivery.py",
    ]
    assert [line[6:] for line in built["diff"].splitlines() if line.startswith("+++ ")] == built[
        "files"
    ]


@pytest.mark.parametrize("cents", [1, 2, 3, 12345])
def test_the_limit_is_the_one_that_was_asked_for(handler: Handler, cents: int) -> None:
    built = build(handler, free_from=cents)
    assert f"FREE_FROM = {cents}" in (Path(SHOP) / "free_delivery.py").read_text("utf-8")
    assert built["after"]["failed"] == 0


def test_a_second_run_on_the_same_shop_is_refused(handler: Handler) -> None:
    build(handler)
    with pytest.raises(ValueError, match="run this on a fresh copy"):
        build(handler)


def test_the_change_is_approved(handler: Handler) -> None:
    assert review(build(handler)["diff"]) == {"findings": [], "verdict": "approve"}


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.py", "    return total / 100"),
        ("page.py", '    print("here")'),
        ("templates/cart.html", '<p style="color: red">'),
    ],
)
def test_a_major_finding_rejects_the_change_and_says_where(name: str, text: str) -> None:
    answer = review(WITH_A_TEST + added(name, text))
    assert answer["verdict"] == "reject"
    assert [(found["file"], found["line"]) for found in answer["findings"]] == [(name, 7)]


@pytest.mark.usefixtures("workspace")
def test_a_minor_finding_does_not_reject_the_change() -> None:
    answer = review(WITH_A_TEST + added("page.py", "# TODO"))
    assert answer["verdict"] == "approve"
    assert [found["severity"] for found in answer["findings"]] == ["minor"]


@pytest.mark.usefixtures("workspace")
def test_a_change_without_a_test_is_rejected() -> None:
    assert review(added("page.py", "x = 1"))["verdict"] == "reject"


@pytest.mark.usefixtures("workspace")
def test_a_change_that_drops_a_test_is_rejected() -> None:
    assert review(WITH_A_TEST + "-    def test_old(self) -> None:\n")["verdict"] == "reject"
