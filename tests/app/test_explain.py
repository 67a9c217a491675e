"""`forge explain`: every word that forge says can be asked for."""

import ast
import json
from pathlib import Path
from typing import get_args

import pytest

from forge_cli.app.explain import brief, explain, words
from forge_cli.app.glossary import EXIT_CODES
from forge_cli.cli import grants, lines, undoing, verdict
from forge_cli.cli.undoing import QUIET
from forge_cli.cli.verdict import EXIT
from forge_cli.cli.words import DECIDED, LOUD, PROBLEMS, WORDS
from forge_cli.engines import ENGINES
from forge_cli.errors import ForgeError
from forge_cli.handlers import KINDS
from forge_cli.handlers.agent_reading import READERS
from forge_cli.handlers.agent_tools import POST
from forge_cli.manifest.meaning.actions import ACTIONS
from forge_cli.manifest.shape.reference import entries
from forge_cli.multiagent import tools as asked
from forge_cli.multiagent.patterns import PATTERNS, decomposition, hierarchical
from forge_cli.multiagent.terms import BUILT_IN, FailureKind, Merge, Risk, Then

EVIDENCE = Path(__file__).resolve().parents[2] / "evidence"


def labels() -> set[str]:
    """What stands before the lines about a grant."""
    tree = ast.parse(Path(str(grants.__file__)).read_text("utf-8"))
    yielded = [n.value for n in ast.walk(tree) if isinstance(n, ast.Yield)]
    firsts = [each.elts[0] for each in yielded if isinstance(each, ast.Tuple)]
    return {str(first.value) for first in firsts if isinstance(first, ast.Constant)}


def checks() -> set[str]:
    """What `forge verify` calls its checks."""
    files = EVIDENCE.glob("*/*/verification.json")
    return {check["name"] for file in files for check in json.loads(file.read_text())["checks"]}


def said() -> set[str]:
    """The words of the lines of a run, and the labels of the commands below its verdict."""
    tree = ast.parse(Path(str(lines.__file__)).read_text("utf-8"))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and len(n.args) > 2]
    firsts = [n.args[2] for n in calls if ast.unparse(n.func) == "self.line"]
    for module in (verdict, undoing):
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        pairs = [n.elts for n in ast.walk(tree) if isinstance(n, ast.Tuple) and len(n.elts) > 1]
        firsts += [first for first, second, *_ in pairs if not isinstance(second, ast.Constant)]
    found = {str(each.value) for each in firsts if isinstance(each, ast.Constant)}
    return {word for word in found if word.strip() == word} | {*DECIDED.values(), *QUIET}


def tools() -> set[str]:
    """The tools of agents, as they are named in what a run tells."""
    return {
        hierarchical.TOOL,
        decomposition.TOOL,
        POST.name,
        *READERS,
        *asked.ACTIONS,
        "final_result",
    }


def printed() -> list[str]:
    """The words that forge prints by itself, and the values that it takes."""
    values = {str(v) for meanings in entries().values() for each in meanings for v in each.values}
    found = {*values, *WORDS, *WORDS.values(), *PROBLEMS, *LOUD, *labels(), *checks()}
    found |= {status.upper() for status in EXIT} | {"VERIFIED", "FAILED", "WRONG"}
    found |= {*KINDS, *PATTERNS, *ENGINES, *BUILT_IN, *ACTIONS}
    for kind in (FailureKind, Merge, Risk, Then):
        found |= set(get_args(kind))
    found |= {"no_proposals", "approval_required", "lowest_risk_then_evidence"}
    found |= {"head", "turn", "attempt", "inline", "workspace", "sandbox", "epoch"}
    found |= {*said(), *tools(), "done", "yields", "lost", "calls", "cost", "time", "not started"}
    return sorted(found)


def test_a_rule_is_explained_by_its_documentation_and_examples() -> None:
    lines = explain("unknown-key")
    assert lines[0] == "unknown-key: rule, error"
    assert "Bad:" in lines
    assert "      needs: [build]" in lines
    assert not any("```" in line for line in lines)


def test_a_key_is_explained_with_its_place_and_an_example() -> None:
    assert explain("depends_on") == [
        "depends_on: key of items and sub-tasks",
        "  Items that must be accepted before.",
        "  example: depends_on: [build]",
    ]


def test_a_key_that_names_its_values_lists_them() -> None:
    assert "  one of: rerun, hold" in explain("on_crash")


def test_a_word_with_several_meanings_is_explained_in_all_of_them() -> None:
    heads = [line for line in explain("evidence") if line.startswith("evidence: ")]
    assert heads == [
        "evidence: key of delegations, items and sub-tasks",
        "evidence: key of 'settings'",
    ]


@pytest.mark.parametrize("word", [*words(), *map(str, EXIT_CODES)])
def test_every_word_can_be_asked_for_and_fits_a_terminal(word: str) -> None:
    lines = explain(word)
    assert lines[0].startswith(f"{word}: ")
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize("word", printed())
def test_every_word_that_forge_prints_or_takes_is_explained(word: str) -> None:
    assert explain(word)[0].lower().startswith(f"{word.lower()}: ")


def test_words_are_collected_from_every_place() -> None:
    assert {"on crash", "accept when"} <= labels()
    assert {"chain", "head", "forms"} <= checks()


def test_a_word_is_known_in_upper_case_too() -> None:
    assert explain("FAILED") == explain("failed")
    assert brief("FAILED") == brief("failed")


def test_a_capability_is_told_with_its_actions() -> None:
    assert explain("repository-write")[0] == "repository-write: capability"
    assert explain("repository-write")[1].startswith("  Allows file-read, file-write.")


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("unknown-kee", "did you mean  forge explain unknown-key?"),
        ("dependson", "did you mean  forge explain depends_on?"),
        ("99", "exit codes are 0, 1, 2, 3, 4, 5, 70, 129, 130, 141, 143"),
        ("capabilty", "did you mean  forge explain capability?"),
        ("zzz", "the keys are in  forge schema, a rule stands in brackets behind its findings"),
    ],
)
def test_an_unknown_word_is_refused_with_advice(word: str, advice: str) -> None:
    with pytest.raises(ForgeError) as refusal:
        explain(word)
    assert str(refusal.value) == f"'{word}' is no word that forge knows; {advice}"
