"""What happens when the model stops without a call: it is done, or it is told to go on."""

from agent.loop.deps import Deps
from agent.loop.stop_failure import stop_failure
from agent.loop.tally import Tally
from agent.protocol.blocks import Text
from agent.protocol.events import Notice
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.messages import user_message
from agent.protocol.model import Reply

MAX_STOP_BLOCKS = 8  # consecutive Stop blocks, the documented number: hooks are written for it (reference 1.6)
STOP_BLOCK_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"  # 0 = no cap
GO_ON = (
    "Your last message was cut at the output limit. Go on from where it stopped; make tool calls with smaller inputs."
)


class Continue:
    """How often this prompt has been continued, and why."""

    def __init__(self) -> None:
        self.cuts = 0
        self.stop_blocks = 0
        self.pauses = 0


async def after_answer(deps: Deps, tally: Tally, reply: Reply, progress: Continue) -> bool:
    """Whether another turn follows; what the model must be told for it is on record."""
    match reply.stop_reason:
        case "max_tokens":
            return await _cut(deps, tally, progress)
        case "pause_turn":
            progress.pauses += 1
            return progress.pauses <= MAX_STOP_BLOCKS
        case "refusal":
            await deps.emit(Notice(level="warning", text="The model refused to answer this."))
            return False
        case "model_context_window_exceeded":
            text = "The answer was cut because the context window is full · /compact to go on."
            await deps.emit(Notice(level="warning", text=text))
            return False
        case _:
            if not any(isinstance(block, Text) and block.text.strip() for block in reply.blocks):
                await deps.emit(Notice(level="warning", text="The model's answer is empty. Ask again to go on."))
            return await _stop_hooks(deps, tally, progress)


async def _cut(deps: Deps, tally: Tally, progress: Continue) -> bool:
    progress.cuts += 1
    if progress.cuts > 1:
        text = (
            "The answer reached the output limit twice; it is kept as far as it came. Ask for a smaller step to go on."
        )
        await deps.emit(Notice(level="warning", text=text))
        stop_failure(deps, tally, "max_output_tokens", text)
        return False
    deps.conversation.transcript.append_message(user_message(GO_ON), is_meta=True)
    return True


async def _stop_hooks(deps: Deps, tally: Tally, progress: Continue) -> bool:
    fields: dict[str, object] = {
        "stop_hook_active": progress.stop_blocks > 0,
        "last_assistant_message": tally.text,
        "permission_mode": deps.parts.authority.mode.value,
        "background_tasks": [],
        "session_crons": [],
    }
    outcome = await deps.parts.hooks.run(HookInput(event=HookEvent.STOP, subject="", fields=fields), deps.emit)
    tally.halted_by(outcome, "stop_hook_prevented")
    if not outcome.blocked or outcome.stop:
        return False
    progress.stop_blocks += 1
    cap = _cap(deps)
    if cap and progress.stop_blocks > cap:
        text = f"Stop hooks asked to go on {cap} times in a row; stopping here."
        await deps.emit(Notice(level="warning", text=text))
        return False
    feedback = f"Stop hook feedback: {outcome.reason or 'go on.'}"
    deps.conversation.transcript.append_message(user_message(feedback), is_meta=True)
    return True


def _cap(deps: Deps) -> int:
    text = deps.parts.env.get(STOP_BLOCK_VARIABLE, "").strip()
    return int(text) if text.isascii() and text.isdigit() else MAX_STOP_BLOCKS
