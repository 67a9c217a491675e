"""How a budget that is larger than the one above it is told."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse


@pytest.mark.parametrize(
    ("top", "way"),
    [
        ("budget: {model_calls: 5}", "raise model_calls in the budget of the run to 9999"),
        ("name: x", "write  budget: {model_calls: 9999}  at the top"),
    ],
)
def test_whose_budget_could_be_raised_is_said(top: str, way: str) -> None:
    text = f"""\
forge: 1
{top}
work_items: {{a: {{run: [x], capabilities: [], budget: {{model_calls: 9999}}}}}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    assert found.hint.endswith(f"or {way}, which `forge diff` will call breaking")
