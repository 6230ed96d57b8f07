"""What processes of a session are given: the environment of tools, and the hooks with theirs."""

from pathlib import Path

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.context.reading_record import reading_record
from agent.hooks.env_file import env_files
from agent.hooks.log import HookLog
from agent.hooks.runner import Hooks
from agent.loop.deps import Workplace
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.tools.limits import spill_folder


def tool_environment(settings: Settings, conversation: Conversation) -> dict[str, str]:
    """The whole environment; tools strip our credentials from it and mask their values, so they must see them."""
    extra = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": conversation.transcript.session_id}
    return {**settings.environment, **extra}


def exported(conversation: Conversation) -> tuple[Path, ...]:
    """The scripts in which SessionStart hooks have exported variables for Bash."""
    return env_files(_env_folder(conversation))


def session_hooks(
    settings: Settings, places: Places, conversation: Conversation, workplace: Workplace, frame: Frame, log: HookLog
) -> Hooks:
    """The hooks in force, told of this conversation and how full it is."""
    transcript = conversation.transcript
    told = {"effort": {"level": frame.effort}} if frame.effort else {}

    def common() -> dict[str, object]:
        return {
            "session_id": transcript.session_id,
            "transcript_path": str(transcript.path),
            "cwd": str(workplace.cwd),
            "context": reading_record(conversation.reading(frame)),
            **told,
        }

    return Hooks(
        settings.hooks,
        common=common,
        env={**settings.environment, **({"CLAUDE_EFFORT": frame.effort} if frame.effort else {})},
        project_dir=places.project_root,
        disabled=settings.disable_all_hooks.value,
        spill_dir=spill_folder(transcript.path),
        env_dir=_env_folder(conversation),
        log=log,
    )


def _env_folder(conversation: Conversation) -> Path:
    return conversation.transcript.path.with_suffix("") / "env"
