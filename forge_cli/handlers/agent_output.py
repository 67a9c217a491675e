"""What an agent has to give in the end: how it is asked for, and what is wrong with it."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from forge_cli.gateway.acceptance import keys_fault
from forge_cli.gateway.schemas import violation
from forge_cli.handlers.answers import AnswerError, kind_of, parse
from forge_cli.handlers.objects import is_whole, schema_of
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn

FINAL = "final_result"
"""The tool by which a model that has other tools gives its result."""

_DESCRIPTION = "The result of your task, once it is done."

Form = Literal["text", "native", "tool"]


class Wanted(NamedTuple):
    """The output that a turn's item wants.

    `text`: what the model says in the end is the only output. Otherwise an object of the `schema`,
    as the answer itself where the model is held to it by its server (`native`), else as the
    arguments of the tool `final_result`.
    """

    form: Form
    outputs: tuple[str, ...]
    schema: Mapping[str, Json]
    completion: Json

    def parameters(self, tools: list[ToolDefinition]) -> ModelRequestParameters:
        """How a model with these tools is asked."""
        if self.form == "text":
            return ModelRequestParameters(function_tools=tools)
        if self.form == "native":
            form = OutputObjectDefinition(
                json_schema=dict(self.schema), name=FINAL, description=_DESCRIPTION, strict=False
            )
            return ModelRequestParameters(
                function_tools=tools, output_mode="native", output_object=form
            )
        final = ToolDefinition(
            name=FINAL,
            description=_DESCRIPTION,
            parameters_json_schema=dict(self.schema),
            kind="output",
        )
        return ModelRequestParameters(
            function_tools=tools, output_mode="tool", output_tools=[final], allow_text_output=False
        )

    def is_final(self, tool: str) -> bool:
        """Whether a call of that tool gives the result."""
        return self.form == "tool" and tool == FINAL

    def task(self) -> str:
        """In words for the model how it is to end."""
        if self.form == "text":
            return f"Your last answer, without a call of a tool, is the output {self.outputs[0]!r}."
        if self.form == "native":
            return "Answer with one JSON object of the given schema and nothing else."
        return f"Once you are done, call {FINAL} with the result."

    def read(self, text: str) -> dict[str, Json]:
        """The output that a text is; `AnswerError` says what is wrong with it."""
        if not text.strip():
            raise AnswerError("the answer is empty")
        if self.form == "text":
            return {self.outputs[0]: text}
        value = parse(text.encode(errors="surrogatepass"), "the answer")
        if not isinstance(value, dict):
            raise AnswerError(f"the answer is {kind_of(value)}, not an object")
        return value

    def fault(self, output: Mapping[str, Json]) -> str:
        """What is wrong with an output, or nothing: its keys, or its schema."""
        if fault := keys_fault(self.outputs, output):
            return fault
        if self.completion is None or not is_whole(self.completion):
            return ""
        found = violation({FINAL: self.completion}, FINAL, output)
        return f"the result does not fit its schema: {found}" if found else ""


def wanted(turn: Turn, native: bool) -> Wanted:
    """What the turn's item wants; `native` if the model's server can hold it to a schema."""
    outputs, completion = turn.grant.outputs, turn.completion
    schema = schema_of(outputs, completion)
    if schema is None:
        return Wanted("text", outputs, {}, None)
    return Wanted("native" if native else "tool", outputs, schema, completion)
