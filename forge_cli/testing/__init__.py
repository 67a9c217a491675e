"""What authors of handlers test them with: the contract, and turns as a run would give them.

Needs pytest. `docs/handlers.md` shows the whole of a plug-in with its test.
"""

import pytest

pytest.register_assert_rewrite("forge_cli.testing.contract")

from forge_cli.testing.bench import Bench, Kept, a_turn, opened  # noqa: E402
from forge_cli.testing.contract import HandlerContract, Sample  # noqa: E402 - asserts of it tell both values

__all__ = ["Bench", "HandlerContract", "Kept", "Sample", "a_turn", "opened"]
