"""Whatever bytes a manifest has: it has findings, or it is sound, soon and without a traceback."""

import time
from pathlib import Path
from random import Random

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.reading.source import parse
from tests.programme import SHARES, seeds

ROOT = Path(__file__).parents[2]
SOUND = [path.read_bytes() for path in sorted((ROOT / "manifests").rglob("*.yaml"))]
PIECES: tuple[bytes, ...] = (
    b"\t",
    b"*",
    b"&a ",
    b"{",
    b"[",
    b"'",
    b'"',
    b"\n",
    b": ",
    b"- ",
    b"<<: *a\n",
    b"\x00",
)
PIECES += (b"!!x ", b"\xff", "\u2028".encode(), b"|\n", b"? ", b"#", b"1e999", b"-0", b"${", b"..")
MOST = 2.0
"""Seconds of CPU that one manifest may take."""


def mutated(dice: Random) -> bytes:
    """A sound manifest with one to five places cut out, doubled, or put in from elsewhere."""
    data = dice.choice(SOUND)
    for _ in range(dice.randint(1, 5)):
        start = dice.randrange(len(data) + 1)
        end = min(len(data), start + dice.choice((0, 1, 3, 40, 400)))
        other = dice.choice(SOUND)
        away = dice.randrange(len(other))
        put = dice.choice((b"", dice.choice(PIECES), data[start:end] * 2, other[away : away + 60]))
        data = data[:start] + put + data[end:]
    return data


@pytest.mark.programme
@pytest.mark.parametrize("share", range(SHARES))
def test_a_mutated_manifest_is_judged(share: int) -> None:
    for seed in seeds("inputs", share):
        data = mutated(Random(f"manifest {seed}"))
        again = f"SEED={seed} python -m pytest {Path(__file__).relative_to(ROOT)}"
        began = time.process_time()
        try:
            found = check(parse(data), "m.yaml", 0, Files(None, {}))
        except Exception as fault:
            raise AssertionError(again) from fault
        assert all(each.message and each.rule for each in found), again
        assert time.process_time() - began < MOST, again
