"""The shelf's table is complete, and an unknown kind is refused with what there is."""

import pytest

from forge_cli.errors import ForgeError
from forge_cli.handlers import KINDS, create
from forge_cli.handlers.context import HandlerContext


def test_each_kind_can_be_opened(context: HandlerContext) -> None:
    assert create(KINDS, context).keys() == KINDS.keys()


def test_an_unknown_kind_is_refused(context: HandlerContext) -> None:
    with pytest.raises(ForgeError, match="no handler kind 'oracle' here; `forge plugins` lists"):
        create(["oracle"], context)
