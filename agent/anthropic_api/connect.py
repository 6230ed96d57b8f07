"""The SDK's client, made from our credentials alone."""

from urllib.parse import urlsplit

import anthropic
import httpx2

from agent.anthropic_api.patience import Patience
from agent.protocol.errors import MissingCredentials
from agent.settings.credentials import Credentials

DEFAULT_BASE_URL = "https://api.anthropic.com"

_PLACEHOLDER = "none"  # a local server wants no key, but the SDK wants one
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(credentials: Credentials, patience: Patience) -> anthropic.AsyncAnthropic:
    """A client that never retries by itself; a key beats a token, as the SDK has it.

    Without key, token and base URL the SDK looks for its own profiles. Raises MissingCredentials when it finds none.
    """
    base_url, api_key, auth_token = credentials.base_url, credentials.api_key, credentials.auth_token
    if api_key is not None:
        auth_token = None  # the SDK refuses both
    elif auth_token is None and base_url is not None:
        api_key = _PLACEHOLDER
    profile = api_key is None and auth_token is None  # then the SDK looks for one, and for its address
    client = anthropic.AsyncAnthropic(
        api_key=api_key,
        auth_token=auth_token,
        base_url=None if profile else base_url or DEFAULT_BASE_URL,
        default_headers=credentials.custom_headers,
        max_retries=0,
        open_telemetry=False,
        timeout=httpx2.Timeout(None, connect=patience.connect),
        http_client=anthropic.DefaultAsyncHttpxClient(trust_env=False) if _is_loopback(base_url) else None,
    )
    if client.api_key is None and client.auth_token is None and client.credentials is None:
        raise MissingCredentials("No API key was found.", do="Set ANTHROPIC_API_KEY, or try --offline.")
    return client


def _is_loopback(base_url: str | None) -> bool:
    # A proxy from the environment must not be asked for a server on this machine.
    return base_url is not None and urlsplit(base_url).hostname in _LOOPBACK
