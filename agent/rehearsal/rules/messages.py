"""Rules for the order of messages: who speaks first, who last, and that nobody says nothing."""

from agent.rehearsal.prompt import Message, Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import as_text, kind, objects

MAX_MESSAGES = 100_000
FIELDS = frozenset({"role", "content"})
SYSTEM_FIELDS = FIELDS | {"clear_at", "output_config"}


def some_messages(prompt: Prompt) -> None:
    """At least one message, at most 100,000."""
    if not prompt.messages:
        raise Refusal("messages.none", "messages: at least one message is required")
    if len(prompt.messages) > MAX_MESSAGES:
        raise Refusal("messages.count", f"messages: at most {MAX_MESSAGES} messages are allowed")


def fields(prompt: Prompt) -> None:
    """A message has a role and content; a system message may say when it is cleared, and the effort from there on."""
    for index, message in enumerate(objects(prompt.body.get("messages"))):
        allowed = SYSTEM_FIELDS if message.get("role") == "system" else FIELDS
        for field in message:
            if field not in allowed:
                raise Refusal("messages.field", f"messages.{index}.{field}: Extra inputs are not permitted")


def roles(prompt: Prompt) -> None:
    """Known roles; the system role only where the model has it."""
    for message in prompt.messages:
        if message.role == "system" and not prompt.model.system_role:
            raise Refusal(
                "messages.role",
                'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
                '"system" as an input message role.',
            )
        if message.role not in ("user", "assistant", "system"):
            raise Refusal(
                "messages.role",
                f'messages: Unexpected role "{message.role}". Allowed roles are "user" or "assistant".',
            )


def first_message(prompt: Prompt) -> None:
    """The user speaks first, unless a compaction block stands for what was said."""
    first = prompt.messages[0]
    if first.role == "system":
        raise Refusal("messages.system", "messages.0: a `system` message cannot be the first message")
    compacted = bool(first.blocks) and kind(first.blocks[0]) == "compaction"
    if first.role != "user" and not compacted:
        raise Refusal("messages.first", 'messages: first message must use the "user" role')


def system_place(prompt: Prompt) -> None:
    """No system message between tool calls and their results."""
    for before, message in zip(prompt.messages, prompt.messages[1:], strict=False):
        if message.role == "system" and any(kind(block) == "tool_use" for block in before.blocks):
            raise Refusal(
                "messages.system",
                f"messages.{message.index}: a `system` message cannot stand between `tool_use` and `tool_result` blocks",
            )


def content(prompt: Prompt) -> None:
    """No message without content, the last assistant message excepted."""
    last = prompt.messages[-1]
    for message in prompt.messages:
        empty = not message.blocks
        if empty and not (message is last and message.role == "assistant"):
            raise Refusal(
                "messages.empty",
                f"messages.{message.index}: all messages must have non-empty content except for the optional final "
                "assistant message",
            )


def no_prefill(prompt: Prompt) -> None:
    """The conversation ends with the user; older models take a prefill that does not end in white space."""
    last = prompt.messages[-1]
    if last.role != "assistant" or _only_compaction(last) or "compaction" in prompt.body:
        return
    if not prompt.model.prefill:
        raise Refusal(
            "messages.prefill",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    text = as_text(last.blocks[-1].get("text")) if last.blocks else ""
    if text != text.rstrip():
        raise Refusal("messages.trailing", "messages: final assistant content cannot end with trailing whitespace")


def _only_compaction(message: Message) -> bool:
    return [kind(block) for block in message.blocks] == ["compaction"]
