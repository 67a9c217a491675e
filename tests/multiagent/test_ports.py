"""A verdict says no more than it was told."""

from forge_cli.multiagent.ports import Verdict


def test_a_verdict_has_no_reason_output_or_evidence_of_its_own() -> None:
    assert Verdict(True) == Verdict(True, "", None, None)
