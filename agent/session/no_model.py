"""The model of a session that found no credentials: it answers nothing and says why, so that commands without a request still work."""

from collections.abc import AsyncGenerator

from agent.protocol.errors import MissingCredentials
from agent.protocol.model import Delta, LearntWindow, Reply, Request


def no_credentials(notices: tuple[str, ...] = ()) -> MissingCredentials:
    """The one line about it."""
    return MissingCredentials(
        "No credentials found.",
        do="Set ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL), or use --offline for the rehearsal model.",
        notices=notices,
    )


class NoModel:
    """Stands where a Model would."""

    def stream(self, _request: Request, /) -> AsyncGenerator[Delta | Reply, None]:
        """Raises MissingCredentials."""
        raise no_credentials()

    async def learn_window(self, _model: str, /) -> LearntWindow | None:
        """Nothing is learnt."""
        return None

    async def close(self) -> None:
        """Nothing to release."""
