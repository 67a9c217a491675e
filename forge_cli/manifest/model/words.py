"""What the model's parts share: scalars, budgets, and how a key is documented."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from forge_cli.manifest.forms import ID, NOT_BLANK, VARIABLE

strict = with_config(ConfigDict(extra="forbid", strict=True))
"""Unknown keys are errors, and no value is taken for another type's."""

LARGEST = 2**53 - 1
"""The largest whole number of I-JSON (RFC 7493)."""


_NONE = object()


def key(description: str, *examples: Any, default: Any = _NONE) -> Any:
    """What editors and `forge explain` show for a key; `default` holds where it is absent."""
    extra = {} if default is _NONE else {"default": default}
    return Field(description=description, examples=list(examples), json_schema_extra=extra)


Id = Annotated[str, Field(pattern=ID)]
Variable = Annotated[str, Field(pattern=VARIABLE)]
Words = Annotated[str, Field(pattern=NOT_BLANK)]
Whole = Annotated[int, Field(ge=0, le=LARGEST)]
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Money = Number | str
Argv = Annotated[list[str], Field(min_length=1)]
Labels = dict[str, str]
Env = dict[Variable, str]
Sandbox = Literal["namespace", "landlock", "off"]


@strict
class Budget(TypedDict, total=False):
    """How much may be spent; a dimension that is absent is not narrowed here."""

    model_calls: Annotated[Whole, key("How many requests to models.", 60)]
    cost_usd: Annotated[Money, key("US dollars, at most six decimals.", 12, "0.75")]
    tokens: Annotated[Whole, key("How many tokens, in and out.", 200000)]
    tool_calls: Annotated[Whole, key("How many calls of tools.", 50)]
