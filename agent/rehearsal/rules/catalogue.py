"""Every reason for which a request is refused, by name, with where it is known from."""

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """`breach`: a client that does this is wrong, and a test in which it happens fails; the others may befall anyone.

    `needed`: refused in lenient mode too, for there is nothing to answer.
    """

    what: str
    source: str
    breach: bool = True
    needed: bool = False


SDK = "SDK 2.14 parameter types"
CONTEXT = "docs: context windows"
ERRORS = "docs: errors"
TOOLS = "docs: tool use"
THINKING = "docs: extended and adaptive thinking"
CACHING = "docs: prompt caching"
COMPACTION = "docs: compaction; SDK 2.14 error classes"
EDITING = "docs: context editing"
LIVE = "messages seen from the live API"

RULES: dict[str, Rule] = {
    "key.missing": Rule("a key or a bearer token is sent", ERRORS, breach=False),
    "version.missing": Rule("`anthropic-version` is sent, and is a version", ERRORS),
    "model.unknown": Rule("the model exists", ERRORS, breach=False),
    "body.size": Rule("the body is at most 32 MB", ERRORS, breach=False),
    "body.json": Rule("the body is JSON, an object, in UTF-8", ERRORS),
    "body.surrogate": Rule("no lone surrogate in any string", LIVE),
    "body.field": Rule("`model`, `max_tokens` and `messages` are there, with the right types", SDK),
    "body.unknown": Rule("no field that the API does not know, or only knows under a beta header", SDK),
    "body.sampling": Rule(
        "no temperature, top_p, top_k (removed since version 2026-10-21)", "SDK 2.14; docs: migration"
    ),
    "body.stop": Rule("stop sequences are strings that are not blank", LIVE),
    "body.metadata": Rule("metadata holds a user_id of at most 256 characters, nothing else", SDK),
    "max_tokens.cap": Rule("`max_tokens` is at most what the model can write", LIVE),
    "prompt.window": Rule("the prompt fits into the window", CONTEXT, breach=False),
    "prompt.output": Rule("old models: prompt + max_tokens fit into the window", CONTEXT, breach=False),
    "media.count": Rule("at most 100 images (600 on 1M models)", LIVE, breach=False),
    "messages.none": Rule("at least one message", LIVE, needed=True),
    "messages.count": Rule("at most 100,000 messages", SDK),
    "messages.role": Rule("roles are user, assistant or (some models) system", SDK),
    "messages.field": Rule("a message has a role and content, nothing else", SDK),
    "messages.first": Rule("the first message is the user's, or a compaction block", LIVE),
    "messages.empty": Rule("no message without content", LIVE),
    "messages.prefill": Rule("models since 4.6: the last message is not the assistant's", LIVE),
    "messages.trailing": Rule("older models: a prefill does not end in white space", LIVE),
    "messages.system": Rule(
        "role system: never first, not before the results of open tool calls", "docs: mid-conversation system"
    ),
    "block.type": Rule("a block's type is known and fits its role", SDK),
    "block.field": Rule("a block has the fields of its type, no others", SDK),
    "text.blank": Rule("no text block is empty or only white space", LIVE),
    "image.source": Rule("an image has a source of a known kind and media type", SDK),
    "tool_use.unanswered": Rule("every tool_use is answered in the next message", TOOLS),
    "tool_use.twice": Rule("tool_use ids are unique", LIVE),
    "tool_use.id": Rule("a tool_use id is made of letters, digits, _ and -", LIVE),
    "tool_use.name": Rule("a tool_use's name has 1 to 200 letters, digits, _ or -", LIVE),
    "tool_use.input": Rule("a tool_use's input is an object", LIVE),
    "tool_result.stray": Rule("every tool_result answers a tool_use of the message before", TOOLS),
    "tool_result.twice": Rule("one result per tool_use", LIVE),
    "tool_result.first": Rule("results stand before any other content", TOOLS),
    "tool_result.error": Rule("a result that is an error has content", LIVE),
    "tool.name": Rule("a tool's name has 1 to 128 letters, digits, _ or -", LIVE),
    "tool.twice": Rule("tool names are unique", LIVE),
    "tool.schema": Rule("a tool's schema is an object schema", LIVE),
    "tool.field": Rule("a tool has the fields of a custom tool, no others", SDK),
    "tool_choice.shape": Rule("tool_choice is auto, any, none or a tool that is there", SDK),
    "tool_choice.forced": Rule("no forced tool where the model refuses it, nor while it thinks", THINKING),
    "thinking.config": Rule("`thinking` has a type that this model accepts, and fields of that type", THINKING),
    "thinking.budget": Rule("budget_tokens is at least 1,024 and less than max_tokens", THINKING),
    "thinking.effort": Rule("the effort is one this model knows", SDK),
    "thinking.expected": Rule("manual thinking: a tool loop's assistant message starts with thinking", LIVE),
    "thinking.signature": Rule("a thinking block's text and signature are as streamed", THINKING),
    "thinking.modified": Rule("thinking of the latest turn is complete and in order", LIVE),
    "thinking.bound": Rule(
        "the conversation before a thinking block is the one it was made in", "docs: preserved thinking"
    ),
    "cache.count": Rule("at most 4 cache marks", CACHING),
    "cache.place": Rule("no cache mark on thinking or on an empty text", CACHING),
    "cache.order": Rule("1h marks stand before 5m marks", CACHING),
    "cache.shape": Rule("a cache mark is ephemeral with ttl 5m or 1h", SDK),
    "cache.automatic": Rule("the top-level mark needs a free slot and fits the last block's own mark", CACHING),
    "compaction.config": Rule("`compaction` is well formed, known to the model, and alone", COMPACTION),
    "compaction.nothing": Rule("a compaction request has something to summarise", COMPACTION),
    "compaction.open": Rule("a compaction request ends with no open tool call", COMPACTION),
    "compaction.beta": Rule("a compaction block comes with its beta header, on every request", COMPACTION),
    "compaction.several": Rule("one compaction block with content", COMPACTION),
    "compaction.place": Rule("the signed compaction block is the first block", COMPACTION),
    "compaction.altered": Rule("a signed compaction block comes back byte-exact", COMPACTION),
    "compaction.kept": Rule("the first kept message differs in role from the last summarised one", COMPACTION),
    "edits.config": Rule("context edits are known, well formed, clear_thinking first and only with thinking", EDITING),
    "script.expect": Rule("the request is what the script expects", "the script"),
    "script.exhausted": Rule("the script has a reply left", "the script"),
}
