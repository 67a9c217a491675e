"""All faults of a manifest are found in one run, each once, and nothing else is."""

from tests.corpus.kinds import KINDS
from tests.corpus.trial import SEEDS, differences, several

SHORT = 150
"""Manifests of the short form."""


def test_two_to_five_faults_are_all_found_each_where_it_was_made() -> None:
    makers = tuple(make for make, _ in KINDS.values())
    trials = [several(seed, makers) for seed in range(SEEDS or SHORT)]
    many = [trial for trial in trials if len(trial.mutations) > 1]
    assert len(many) > len(trials) * 0.7
    assert differences(many) == []
