"""Rules for tools: their definitions, and that every call has one answer, at once and in its place."""

import re
from itertools import groupby

from agent.rehearsal.prompt import Message, Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json, as_object, as_text, kind

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
CALLED_NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}\Z")
TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
TOOL_FIELDS = frozenset(
    {
        "name",
        "description",
        "input_schema",
        "type",
        "cache_control",
        "strict",
        "defer_loading",
        "allowed_callers",
        "eager_input_streaming",
        "input_examples",
    }
)
CHOICES = ("auto", "any", "tool", "none")


def definitions(prompt: Prompt) -> None:
    """Names and schemas of the tools."""
    names: set[str] = set()
    for place, tool in enumerate(prompt.tools):
        if as_text(tool.get("type")) not in ("", "custom"):
            continue
        name = as_text(tool.get("name"))
        if not TOOL_NAME.match(name):
            raise Refusal(
                "tool.name", f"tools.{place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            )
        if name in names:
            raise Refusal("tool.twice", "tools: Tool names must be unique.")
        names.add(name)
        for field in tool:
            if field not in TOOL_FIELDS:
                raise Refusal("tool.field", f"tools.{place}.custom.{field}: Extra inputs are not permitted")
        if not isinstance(tool.get("description", ""), str):
            raise Refusal("tool.field", f"tools.{place}.custom.description: Input should be a valid string")
        _schema(tool, place)


def _schema(tool: Json, place: int) -> None:
    if not isinstance(tool.get("input_schema"), dict):
        raise Refusal("tool.schema", f"tools.{place}.custom.input_schema: Field required")
    schema = as_object(tool["input_schema"])
    if schema.get("type") != "object":
        raise Refusal("tool.schema", f"tools.{place}.custom.input_schema.type: Input should be 'object'")
    if not isinstance(schema.get("properties", {}), dict) or not isinstance(schema.get("required", []), list):
        raise Refusal("tool.schema", f"tools.{place}.custom.input_schema: JSON schema is invalid")


def choice(prompt: Prompt) -> None:
    """tool_choice names something that exists, and does not force a tool where that is refused."""
    if "tool_choice" not in prompt.body:
        return
    chosen = as_object(prompt.body["tool_choice"])
    if chosen.get("type") not in CHOICES:
        raise Refusal("tool_choice.shape", "tool_choice: Input should be an object of type auto, any, tool or none")
    if not prompt.tools:
        raise Refusal("tool_choice.shape", "tool_choice may only be specified while providing tools.")
    if chosen["type"] == "tool" and chosen.get("name") not in [tool.get("name") for tool in prompt.tools]:
        raise Refusal("tool_choice.shape", f"tool_choice: Tool '{chosen.get('name')}' not found in provided tools")
    if chosen["type"] in ("any", "tool"):
        if not prompt.model.forced_tools:
            raise Refusal("tool_choice.forced", "tool_choice: this model does not support forced tool use")
        if prompt.thinks:
            raise Refusal("tool_choice.forced", "Thinking may not be enabled when tool_choice forces tool use.")


def calls(prompt: Prompt) -> None:
    """Ids and inputs of the tool calls in the history."""
    seen: set[str] = set()
    for message in prompt.messages:
        for place, block in enumerate(message.blocks):
            if kind(block) != "tool_use":
                continue
            where = f"messages.{message.index}.content.{place}.tool_use"
            name = as_text(block.get("id"))
            if not TOOL_ID.match(name):
                raise Refusal("tool_use.id", f"{where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
            if not CALLED_NAME.match(as_text(block.get("name"))):
                raise Refusal("tool_use.name", f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'")
            if name in seen:
                raise Refusal("tool_use.twice", "messages: `tool_use` ids must be unique")
            if not isinstance(block.get("input"), dict):
                raise Refusal("tool_use.input", f"{where}.input: Input should be a valid dictionary")
            seen.add(name)


def results(prompt: Prompt) -> None:
    """Every call is answered once, in the next message, before anything else is said there."""
    turns = _merged(prompt.messages)
    before: list[str] = []
    for turn in turns:
        if turn.role == "assistant":
            if before:
                raise _unanswered(turn.index, before)
            before = [as_text(block.get("id")) for block in turn.blocks if kind(block) == "tool_use"]
            continue
        _answers(turn, before)
        before = []
    if before and turns[-1].role == "assistant":
        raise _unanswered(turns[-1].index, before)


def _answers(turn: Message, asked: list[str]) -> None:
    given: list[str] = []
    other = False
    for place, block in enumerate(turn.blocks):
        where = f"messages.{turn.index}.content.{place}"
        if kind(block) != "tool_result":
            other = True
            continue
        name = as_text(block.get("tool_use_id"))
        if name not in asked:
            raise Refusal(
                "tool_result.stray",
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {name}. Each `tool_result` block must "
                "have a corresponding `tool_use` block in the previous message.",
            )
        if name in given:
            raise Refusal(
                "tool_result.twice",
                f"{where}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {name}",
            )
        if other:
            raise Refusal("tool_result.first", f"{where}: `tool_result` blocks must come before any other content")
        given.append(name)
    missing = [name for name in asked if name not in given]
    if missing:
        raise _unanswered(turn.index - 1, missing)


def _unanswered(index: int, names: list[str]) -> Refusal:
    """The refusal of calls without results; `index` is the calling message's."""
    return Refusal(
        "tool_use.unanswered",
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(names)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    )


def _merged(messages: list[Message]) -> list[Message]:
    """Messages with neighbours of one role joined, as the API joins them; system messages do not count."""
    spoken = [message for message in messages if message.role != "system"]
    turns: list[Message] = []
    for role, neighbours in groupby(spoken, key=lambda message: message.role):
        joined = list(neighbours)
        blocks = tuple(block for message in joined for block in message.blocks)
        turns.append(Message(role, blocks, joined[0].index))
    return turns
