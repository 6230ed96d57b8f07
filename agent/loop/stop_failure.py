"""StopFailure: hooks learn that a turn ended by the API's fault and not by an answer (reference 1.6)."""

from agent.loop.deps import Deps
from agent.loop.tally import Tally
from agent.protocol.errors import (
    AuthenticationFailed,
    InvalidRequest,
    MissingCredentials,
    ModelError,
    Overloaded,
    RateLimited,
    RequestTooLarge,
    ServerFailed,
)
from agent.protocol.hooks import HookEvent, HookInput


def stop_failure(deps: Deps, tally: Tally, error: str, details: str) -> None:
    """Starts the hooks; `error` is one of the reference's words. What they say is discarded, so nobody waits for them."""
    fields: dict[str, object] = {"error": error, "error_details": details, "last_assistant_message": tally.text}
    deps.parts.hooks.tell(HookInput(event=HookEvent.STOP_FAILURE, subject=error, fields=fields), deps.emit)


def failure_word(error: ModelError) -> str:
    """The word that StopFailure matchers know `error` by (reference 1.4)."""
    match error:
        case Overloaded():
            return "overloaded"
        case ServerFailed():
            return "server_error"
        case RateLimited():
            return "rate_limit"
        case AuthenticationFailed() | MissingCredentials():
            return "authentication_failed"
        case InvalidRequest() | RequestTooLarge():
            return "invalid_request"
        case _:
            return "unknown"
