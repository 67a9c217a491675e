"""What tests of the shelf of rules share."""

from collections.abc import Callable

import pytest

from tests.manifest.rules.examples import Example, examples_of


@pytest.fixture
def examples() -> Callable[[str], dict[str, Example]]:
    """The bad and the good example of a rule."""
    return examples_of
