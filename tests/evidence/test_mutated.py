"""Whatever was done to evidence is found, and what was rewritten consistently is still judged."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from forge_cli.canonical import canonical
from forge_cli.evidence.checks import Check
from forge_cli.evidence.layout import ENVIRONMENT, EVENTS, VERIFICATION
from forge_cli.evidence.verify import verify
from forge_cli.ledger.lines import GENESIS, join
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.times import from_text
from tests.programme import SHARES, seeds

ODD: tuple[Any, ...] = (None, True, -1, 2**70, 0.5, "", "\x00", "r-1", [], {}, [[]], {"a": None})


def checked(folder: Path, again: str) -> list[Check]:
    """What is wrong with it; whatever it is, it can be said."""
    try:
        return [check for check in verify(folder) if not check.ok]
    except Exception as fault:
        raise AssertionError(again) from fault


def again(seed: int) -> str:
    return f"SEED={seed} python -m pytest tests/evidence/test_mutated.py"


def changed_bytes(dice: Random, data: bytes) -> bytes:
    start = dice.randrange(len(data))
    end = min(len(data), start + dice.choice((1, 1, 2, 9, 300)))
    put = dice.choice((b"", bytes([data[start] ^ 1 << dice.randrange(8)]), data[start:end] * 2))
    return data[:start] + put + data[end:]


def changed_lines(dice: Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one : one + 1] = dice.choice(([], [lines[one]] * 2, [lines[other]]))
    return b"".join(lines)


@pytest.mark.programme
@pytest.mark.parametrize("share", range(SHARES))
def test_changed_evidence_is_found(share: int, small: Path) -> None:
    files = [path for path in sorted(small.rglob("*")) if path.is_file()]
    covered = [path for path in files if path.name not in (ENVIRONMENT, VERIFICATION)]
    for seed in seeds("inputs", share):
        dice = Random(f"evidence {seed}")
        path = dice.choice(covered)
        data = path.read_bytes()
        changed = dice.choice((changed_bytes, changed_lines))(dice, data)
        path.write_bytes(changed)
        assert checked(small, again(seed)) or changed == data, again(seed)
        path.write_bytes(data)


def odd(dice: Random, value: Any) -> Any:
    """The value with something odd somewhere in it."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(sorted(value))
        rest = {k: v for k, v in value.items() if k != key}
        return rest if dice.random() < 0.1 else {**rest, key: odd(dice, value[key])}
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        return [*value[:place], odd(dice, value[place]), *value[place + 1 :]]
    return dice.choice(ODD)


def rewritten(dice: Random, data: bytes) -> str:
    """The log with one odd event, and every digest as it is due."""
    lines = [json.loads(line) for line in data.splitlines()]
    chosen = dice.randrange(len(lines))
    made, prev = [], GENESIS
    for number, line in enumerate(lines, start=1):
        body = odd(dice, line["body"]) if number == chosen + 1 else line["body"]
        kind = dice.choice(lines)["kind"] if dice.random() < 0.02 else line["kind"]
        event = Event(from_text(line["time"]), kind, line["item"], line["attempt"], body)
        sealed = join(event, canonical(body), number, prev)
        made.append(sealed.text)
        prev = sealed.digest
    return "".join(f"{text}\n" for text in made)


@pytest.mark.programme
@pytest.mark.parametrize("share", range(SHARES))
def test_a_consistent_rewrite_of_the_events_is_judged(share: int, evidence: Path) -> None:
    log = evidence / EVENTS
    data = log.read_bytes()
    for seed in seeds("inputs", share):
        try:
            text = rewritten(Random(f"events {seed}"), data)
        except ValueError:
            continue  # what cannot be canonical cannot be in a log
        log.write_text(text)
        # The head changes, and `run.json` says which it was.
        assert checked(evidence, again(seed)) or text.encode() == data, again(seed)
