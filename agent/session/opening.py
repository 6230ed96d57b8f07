"""What stands before the first prompt: environment, memory and what SessionStart hooks say; given again after a compaction."""

from collections.abc import Mapping, Sequence

from agent.compact.conversation import Conversation
from agent.memory.claude_md import Memory, load_memory, render_memory
from agent.prompts.environment import collect_environment, context_message, environment_text
from agent.prompts.reminder import reminder_message
from agent.protocol.clock import Clock
from agent.protocol.messages import Message, user_message
from agent.settings.paths import Places


class Opening:
    """Collected anew each time it is given, so that a changed CLAUDE.md is what the model reads (reference 3.5)."""

    def __init__(self, places: Places, excludes: Sequence[str], clock: Clock, env: Mapping[str, str]) -> None:
        self._places = places
        self._excludes = tuple(excludes)
        self._clock = clock
        self._env = env
        self._hook_context: list[str] = []
        self.branch = ""
        self.surroundings = ""

    def add(self, texts: Sequence[str]) -> None:
        """Keeps what SessionStart hooks want the model to know until the next prompt."""
        self._hook_context.extend(texts)

    def memory(self) -> Memory:
        """The memory files as they are on disk now."""
        return load_memory(self._places, excludes=self._excludes)

    async def context(self) -> tuple[Message, ...]:
        """Environment and memory as one message."""
        environment = await collect_environment(self._places.cwd, self._clock, self._env)
        self.branch = environment.git.branch if environment.git else ""
        self.surroundings = environment_text(environment)
        return (user_message(context_message(self.surroundings, render_memory(self.memory()))),)

    def is_context(self, message: Message) -> bool:
        """Whether `message` is the one that context() made last."""
        return bool(self.surroundings) and self.surroundings in message.text

    async def before_prompt(self, conversation: Conversation) -> tuple[Message, ...]:
        """Everything for a new conversation; for one that goes on, only what hooks have said since."""
        said = tuple(reminder_message(text) for text in self._hook_context)
        self._hook_context.clear()
        return said if conversation.view() else (*await self.context(), *said)
