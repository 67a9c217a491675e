"""Points to crash at, chosen by chance: `CRASH_SEED` chooses them again."""

import os
import random
import secrets

import pytest


@pytest.fixture(scope="package")
def chance() -> random.Random:
    """Differs from one run of the tests to the next; a test that fails says its seed."""
    seed = os.environ.get("CRASH_SEED") or secrets.token_hex(4)
    print(f"CRASH_SEED={seed}")
    return random.Random(seed)
