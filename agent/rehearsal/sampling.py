"""One answer of the model: what it is shown, what it says, and what that costs."""

from copy import copy

import msgspec

from agent.rehearsal.answer import Answer, Ids, compose
from agent.rehearsal.cache import CacheUse, PromptCache
from agent.rehearsal.compaction import compact, compaction_usage, plain_block
from agent.rehearsal.context_edits import after_compaction, apply_edits, compaction_edit
from agent.rehearsal.extract import extract_summary
from agent.rehearsal.prompt import Message, Prompt
from agent.rehearsal.replies import Reply
from agent.rehearsal.rules.limits import room_for_answer
from agent.rehearsal.sse import Part
from agent.rehearsal.thinking import Checked, shown
from agent.rehearsal.usage import text_tokens
from agent.rehearsal.wire import Json


class Ready(msgspec.Struct, frozen=True):
    """A checked request, what of it the model reads, the edits that were applied, and the room left for an answer."""

    checked: Checked
    visible: Prompt
    applied: tuple[Json, ...]
    room: int


class Sampled(msgspec.Struct, frozen=True):
    """An answer with its usage."""

    answer: Answer
    usage: Json


def visible(checked: Checked) -> tuple[Prompt, tuple[Json, ...]]:
    """What the model reads of a request, and the context edits that were applied."""
    edited = apply_edits(after_compaction(checked.prompt))
    return shown(edited.prompt), edited.applied


def prepare(checked: Checked) -> Ready:
    """Apply edits and look at the window. Raises `Refusal` when the prompt does not fit."""
    prompt, applied = visible(checked)
    return Ready(checked, prompt, applied, room_for_answer(prompt))


def sample(ready: Ready, reply: Reply, cache: PromptCache, ids: Ids) -> Sampled:
    """Answer with a scripted reply, compacting when the request asks for it or its edit's trigger is reached."""
    edit = compaction_edit(ready.visible)
    if edit is not None:
        return _compact_first(ready, reply, cache, ids, pause=edit.get("pause_after_compaction") is True)
    if "compaction" in ready.checked.prompt.body:
        answer = compact(reply, ready.checked, ready.room)
        return Sampled(answer, compaction_usage(replaced(usage_of(answer, cache.use(ready.visible)), reply.usage)))
    answer = compose(reply, ready.checked, ready.room, ids)
    return Sampled(answer, replaced(usage_of(answer, cache.use(ready.visible)), reply.usage))


def _compact_first(ready: Ready, reply: Reply, cache: PromptCache, ids: Ids, *, pause: bool) -> Sampled:
    text = extract_summary(ready.visible)
    block = plain_block(text)
    summary = Answer((Part(block),), "compaction", None, text_tokens(text), 0)
    spent = usage_of(summary, cache.use(ready.visible))
    if pause:
        return Sampled(summary, compaction_usage(spent))
    walk = copy(ready.checked.walk)
    walk.adopt(block)
    prompt = ready.checked.prompt.with_messages([Message("assistant", (block,), 0)])
    room = room_for_answer(prompt)
    said = compose(reply, Checked(prompt, ready.checked.drops, walk), room, ids)
    both = Answer(
        (*summary.parts, *said.parts), said.stop_reason, said.stop_sequence, said.output_tokens, said.thinking_tokens
    )
    return Sampled(both, compaction_usage(spent, replaced(usage_of(said, CacheUse(prompt.tokens)), reply.usage)))


def replaced(usage: Json, scripted: dict[str, int]) -> Json:
    """The usage with scripted figures; `input_tokens` alone is the whole prompt, and the cache had no part in it."""
    if "input_tokens" in scripted:
        usage = usage | {
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        }
    return usage | scripted


def usage_of(answer: Answer, cache: CacheUse) -> Json:
    """The `usage` object; input + read + creation is the whole prompt."""
    return {
        "input_tokens": cache.fresh,
        "cache_creation_input_tokens": cache.write_5m + cache.write_1h,
        "cache_read_input_tokens": cache.read,
        "cache_creation": {"ephemeral_5m_input_tokens": cache.write_5m, "ephemeral_1h_input_tokens": cache.write_1h},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"thinking_tokens": answer.thinking_tokens},
        "service_tier": "standard",
    }
