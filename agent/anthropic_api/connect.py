"""The SDK's client, made from our credentials alone."""

from urllib.parse import urlsplit

import anthropic
import httpx2

from agent.anthropic_api.errors import profile_failed
from agent.anthropic_api.patience import Patience
from agent.protocol.errors import MissingCredentials
from agent.settings.credentials import Credentials

DEFAULT_BASE_URL = "https://api.anthropic.com"

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(credentials: Credentials, patience: Patience) -> anthropic.AsyncAnthropic:
    """A client that never retries by itself; a key beats a token, as the SDK has it.

    Only with `credentials.profile` does the SDK look for credentials of its own. Raises MissingCredentials when there are
    none, and AuthenticationFailed when a profile is there but cannot be used.
    """
    if credentials.api_key is None and credentials.auth_token is None and not credentials.profile:
        raise MissingCredentials("No API key was found.", do="Set ANTHROPIC_API_KEY, or try --offline.")
    try:
        client = _client(credentials, patience)
    except anthropic.AnthropicError as error:
        raise profile_failed(error) from error
    if client.api_key is None and client.auth_token is None and client.credentials is None:
        raise MissingCredentials("The SDK's profile was not found.", do="Set ANTHROPIC_API_KEY, or try --offline.")
    return client


def _client(credentials: Credentials, patience: Patience) -> anthropic.AsyncAnthropic:
    key, base_url = credentials.api_key, credentials.base_url
    return anthropic.AsyncAnthropic(
        api_key=key,
        auth_token=credentials.auth_token if key is None else None,  # the SDK refuses both
        base_url=base_url or (None if credentials.profile else DEFAULT_BASE_URL),
        default_headers=dict(credentials.custom_headers),
        max_retries=0,
        open_telemetry=False,
        timeout=httpx2.Timeout(None, connect=patience.connect),
        http_client=anthropic.DefaultAsyncHttpxClient(trust_env=False) if _is_loopback(base_url) else None,
    )


def _is_loopback(base_url: str | None) -> bool:
    # A proxy from the environment must not be asked for a server on this machine.
    return base_url is not None and urlsplit(base_url).hostname in _LOOPBACK
