"""The one error tree: every error says what happened, what is safe and what to do.

CcagentError
├── UsageError                 a flag, command or argument that cannot be understood
├── SettingsError              a settings file or value that cannot be used
├── FilesError                 the disk refused (full, denied, not a file)
├── TranscriptError
│   ├── SessionNotFound
│   └── SessionBusy            another process writes this session
├── HookError                  a hook that could not be started or understood
├── ToolError                  becomes the tool's result; never stops a turn
│   └── InvalidToolInput
├── ModelError                 the API or the way to it
│   ├── MissingCredentials
│   ├── AuthenticationFailed
│   ├── InvalidRequest
│   │   ├── NoSuchModel        the API does not know the model, or there is no API at the address
│   │   ├── PromptTooLong      .used and .limit when the API said them
│   │   └── ThinkingRefused    signed thinking that no longer fits what stands before it
│   ├── RequestTooLarge        bytes, not tokens
│   ├── RateLimited            .retry_after seconds when given
│   ├── Overloaded
│   ├── ServerFailed
│   ├── ConnectionFailed
│   └── StreamBroken           the answer stopped in the middle
├── CompactError
│   ├── NotEnoughMessages
│   ├── CompactVetoed          a PreCompact hook said no
│   ├── CompactDeclined        the person said no
│   ├── SummaryRejected        the summary failed validation
│   │   └── NothingGained      with it the conversation would not be smaller
│   └── CompactUnavailable     switched off, or the breaker is open
├── PromptBlocked              a UserPromptSubmit hook said no
├── ContextLimitReached        blocking: the prompt is held
└── InvariantBroken            a history that no repair makes legal; a bug of ours
"""


class CcagentError(Exception):
    """The root: `what` happened, what is `safe`, what to `do`; each a plain sentence or empty."""

    def __init__(self, what: str, *, safe: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.safe = safe
        self.do = do

    @property
    def line(self) -> str:
        """One plain line for a person; what a hook or server said may lack its full stop."""
        *before, last = [part for part in (self.what, self.safe, self.do) if part] or [""]
        return " ".join([*(f"{part}." if part[-1].isalnum() else part for part in before), last])


class UsageError(CcagentError):
    """A flag, command or argument that cannot be understood."""


class SettingsError(CcagentError):
    """A settings file or value that cannot be used."""


class FilesError(CcagentError):
    """The disk refused: full, denied, or not what was expected."""


class TranscriptError(CcagentError):
    """A session's record that cannot be read or written."""


class SessionNotFound(TranscriptError):
    """No session has this id."""


class SessionBusy(TranscriptError):
    """Another process writes this session."""


class HookError(CcagentError):
    """A hook that could not be started or understood."""


class ToolError(CcagentError):
    """A tool's failure; becomes its result and never stops a turn."""


class InvalidToolInput(ToolError):
    """The model's arguments do not fit the tool."""


class ModelError(CcagentError):
    """The API refused or could not be reached."""

    retryable = False


class MissingCredentials(ModelError):
    """No key, token or base URL was found; `notices` tell which settings were not used, as they may have brought one."""

    def __init__(self, what: str, *, safe: str = "", do: str = "", notices: tuple[str, ...] = ()) -> None:
        super().__init__(what, safe=safe, do=do)
        self.notices = notices


class AuthenticationFailed(ModelError):
    """The API does not accept the credentials (401, 402, 403)."""


class InvalidRequest(ModelError):
    """The API refused the request itself (400, 404)."""


class NoSuchModel(InvalidRequest):
    """The API does not know the model, or there is no Messages API at the address (404): whatever is sent, nobody answers."""


class PromptTooLong(InvalidRequest):
    """The prompt exceeds the window; `used` and `limit` in tokens when the API said them."""

    def __init__(
        self, what: str, *, used: int | None = None, limit: int | None = None, safe: str = "", do: str = ""
    ) -> None:
        super().__init__(what, safe=safe, do=do)
        self.used = used
        self.limit = limit

    @property
    def gap(self) -> int | None:
        """Tokens over the limit, when known."""
        return None if self.used is None or self.limit is None else max(0, self.used - self.limit)


class ThinkingRefused(InvalidRequest):
    """The API does not take the thinking it once gave: what stands before it has changed since."""


class RequestTooLarge(ModelError):
    """The request exceeds the API's byte limit (413)."""


class RateLimited(ModelError):
    """429; `retry_after` in seconds when the API said it."""

    retryable = True

    def __init__(self, what: str, *, retry_after: float | None = None, safe: str = "", do: str = "") -> None:
        super().__init__(what, safe=safe, do=do)
        self.retry_after = retry_after


class Overloaded(RateLimited):
    """529, or an overloaded_error in the stream."""


class ServerFailed(RateLimited):
    """500, 502, 503, 504, 408, 409: worth another try."""


class ConnectionFailed(ModelError):
    """The API could not be reached, or did not answer in time."""

    retryable = True


class StreamBroken(ModelError):
    """The answer stopped in the middle."""

    retryable = True


class CompactError(CcagentError):
    """A compaction that did not happen; the history is untouched."""


class NotEnoughMessages(CompactError):
    """There is no assistant answer since the last boundary."""


class CompactVetoed(CompactError):
    """A PreCompact hook said no."""


class CompactDeclined(CompactError):
    """The person has seen what it would do and said no."""


class SummaryRejected(CompactError):
    """The summary failed validation."""


class NothingGained(SummaryRejected):
    """The compacted conversation would not be smaller, or not by enough to be worth it."""


class CompactUnavailable(CompactError):
    """Compaction is switched off, or its circuit breaker is open."""


class PromptBlocked(CcagentError):
    """A UserPromptSubmit hook refused the prompt; nothing was sent."""


class ContextLimitReached(CcagentError):
    """The context is at its blocking limit; the prompt is held, not lost."""


class InvariantBroken(CcagentError):
    """A history that no repair makes legal."""
