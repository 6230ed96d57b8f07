"""Keys in an environment: kept from children, and masked wherever their literal values turn up."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

MASK = "[masked]"
MIN_SECRET = 8  # characters; shorter values would mask ordinary words

_OURS = re.compile(r"^ANTHROPIC_|^CLAUDE_CODE_OAUTH_TOKEN$|^AWS_BEARER_TOKEN_BEDROCK$", re.IGNORECASE)
_KEY_NAME = re.compile(r"API_?KEY|TOKEN(?!S)|^ANTHROPIC_", re.IGNORECASE)
# What people put where a server wants any key ("ollama", "sk-no-key-required"): masking it would blot out ordinary text.
_ANY_KEY = re.compile(r"^ANTHROPIC_(API_KEY|AUTH_TOKEN)$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(?:[a-z]+|[A-Z][a-z]*|[A-Z]+)(?:[-_ ](?:[a-z]+|[A-Z][a-z]*|[A-Z]+))*")
MAX_PLACEHOLDER = 20  # characters; a longer value may be a key although it has no digit
_PLAIN_NAME = re.compile(r"_(MODEL|BASE_URL|LOG|REGION|PROJECT_ID|VERSION|BETAS|MODEL_NAME)$", re.IGNORECASE)


def without_keys(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without the agent's own credentials: what a child of a tool may see.

    Keys of other programs stay, because the person's `gh` and tests need them; their values are masked all the same.
    """
    return {name: value for name, value in env.items() if not _OURS.search(name)}


def secret_values(env: Mapping[str, str]) -> tuple[str, ...]:
    """The literal values in `env` that must appear nowhere, longest first; models and addresses are no secrets."""
    found: set[str] = set()
    for name, value in env.items():
        if _KEY_NAME.search(name):
            found.update(_parts(name, value))
    return tuple(sorted((v for v in found if len(v) >= MIN_SECRET), key=lambda v: (-len(v), v)))


def mask_text(text: str, secrets: Iterable[str]) -> str:
    """`text` with every secret replaced by `[masked]`."""
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def _parts(name: str, value: str) -> list[str]:
    if name.upper().endswith("_URL"):
        return [_password(value)]
    if name.upper().endswith("CUSTOM_HEADERS"):  # "Name: value" lines; the value may be "Bearer KEY"
        values = [line.partition(":")[2].strip() for line in value.splitlines()]
        return [*values, *(text.split()[-1] for text in values if text)]
    if _PLAIN_NAME.search(name) or _is_placeholder(name, value.strip()):
        return []
    return [value.strip()]


def _is_placeholder(name: str, value: str) -> bool:
    if not _ANY_KEY.search(name) or len(value) >= MAX_PLACEHOLDER or value.startswith("sk-ant-"):
        return False
    return bool(_PLACEHOLDER.fullmatch(value))


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""


class StreamMask:
    """Masks secrets in bytes that arrive in pieces, even when a secret is cut between two pieces."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = [secret.encode() for secret in secrets]
        self._hold = max((len(secret) for secret in self._secrets), default=1) - 1
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What can be shown by now; an end that may be the beginning of a secret is held back."""
        if not self._secrets:
            return piece
        data = self._masked(self._held + piece)
        cut = len(data) - self._beginning(data)
        self._held = data[cut:]
        return data[:cut]

    def flush(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held

    def _masked(self, data: bytes) -> bytes:
        for secret in self._secrets:
            data = data.replace(secret, MASK.encode())
        return data

    def _beginning(self, data: bytes) -> int:
        """How many bytes at the end of `data` are the beginning of a secret."""
        tail = data[len(data) - min(self._hold, len(data)) :]
        for start in range(len(tail)):
            if any(secret.startswith(tail[start:]) for secret in self._secrets):
                return len(tail) - start
        return 0
