"""What a script may ask about a request: whether it fits a reply, and whether it is as the reply expects."""

from collections.abc import Iterator

import msgspec

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.replies import Expect
from agent.rehearsal.script import Occasion
from agent.rehearsal.wire import as_int, kind, plain_text


def occasion(prompt: Prompt) -> Occasion:
    """The request as a script sees it."""
    last = prompt.messages[-1].blocks if prompt.messages else ()
    results = tuple(plain_text(block.get("content", "")) for block in last if kind(block) == "tool_result")
    return Occasion(prompt.last_user_text, results, asks_summary(prompt), prompt.model.id)


def asks_summary(prompt: Prompt) -> bool:
    """Whether this is a request for a summary: by its parameter, or by the two words its last message must hold."""
    text = prompt.last_user_text
    return "compaction" in prompt.body or ("<summary>" in text and "<analysis>" in text)


def unmet(expect: Expect | None, prompt: Prompt) -> Iterator[str]:
    """Each expectation that the request does not meet, as one line."""
    if expect is None:
        return
    sent = msgspec.json.encode(prompt.body).decode()
    for wanted in expect.contains:
        if _quoted(wanted) not in sent:
            yield f"expected to contain {wanted!r}"
    for unwanted in expect.lacks:
        if _quoted(unwanted) in sent:
            yield f"expected not to contain {unwanted!r}"
    if expect.last_user is not None and expect.last_user not in prompt.last_user_text:
        yield f"expected the last user message to contain {expect.last_user!r}"
    if expect.messages is not None and len(prompt.messages) != expect.messages:
        yield f"expected {expect.messages} messages, got {len(prompt.messages)}"
    if expect.max_tokens is not None and (as_int(prompt.body.get("max_tokens")) or 0) > expect.max_tokens:
        yield f"expected max_tokens of at most {expect.max_tokens}, got {prompt.body.get('max_tokens')}"
    names = [tool.get("name") for tool in prompt.tools]
    for tool in expect.tools:
        if tool not in names:
            yield f"expected the tool {tool}"
    if expect.model is not None and prompt.model.id != expect.model:
        yield f"expected the model {expect.model}, got {prompt.model.id}"


def _quoted(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return msgspec.json.encode(text).decode()[1:-1]
