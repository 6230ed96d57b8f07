"""The SDK's client, made from our credentials alone."""

import re
from urllib.parse import urlsplit

import anthropic
import httpx2

from agent.anthropic_api.errors import profile_failed
from agent.anthropic_api.patience import Patience
from agent.protocol.errors import MissingCredentials, SettingsError
from agent.settings.credentials import Credentials

DEFAULT_BASE_URL = "https://api.anthropic.com"

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(credentials: Credentials, patience: Patience) -> anthropic.AsyncAnthropic:
    """A client that never retries by itself; a key beats a token, as the SDK has it.

    Only with `credentials.profile` does the SDK look for credentials of its own. Raises MissingCredentials when there are
    none, AuthenticationFailed when a profile is there but cannot be used, and SettingsError for an address, key or header
    that cannot be sent.
    """
    _check_address(credentials.base_url)
    _check_headers(credentials)
    if credentials.api_key is None and credentials.auth_token is None and not credentials.profile:
        raise MissingCredentials("No API key was found.", do="Set ANTHROPIC_API_KEY, or try --offline.")
    try:
        client = _client(credentials, patience)
    except anthropic.AnthropicError as error:
        raise profile_failed(error) from error
    except (ValueError, ImportError, OSError, httpx2.InvalidURL) as error:
        raise _unusable(error) from error
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
        http_client=anthropic.DefaultAsyncHttpxClient(trust_env=not _is_loopback(base_url)),
    )


def _unusable(error: Exception) -> SettingsError:
    """What the HTTP library says of the environment it reads by itself; a proxy's address may hold a password and is not quoted."""
    match error:
        case OSError():
            why = f"its certificates cannot be read ({error.strerror or 'not certificates'})"
        case ImportError():
            why = "a SOCKS proxy needs the package socksio"
        case _:
            why = "its proxy's address cannot be read"
    do = "Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR."
    return SettingsError(f"The connection cannot be set up from the environment: {why}.", do=do)


def _check_address(base_url: str | None) -> None:
    try:
        parts = urlsplit(base_url or DEFAULT_BASE_URL)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bad port, a bracket left open
        good = False
    if not good:
        raise SettingsError("ANTHROPIC_BASE_URL is not an address.", do="Write it like https://example.org:8080.")


def _check_headers(credentials: Credentials) -> None:
    # The HTTP library would quote the whole value, key and all, in its own complaint.
    values = (credentials.api_key, credentials.auth_token, *(value for _, value in credentials.custom_headers))
    if any(value and not value.isprintable() for value in values):
        raise SettingsError("A key or a custom header holds a line break or another character that cannot be sent.")
    for name, _ in credentials.custom_headers:
        if not _HEADER_NAME.match(name):
            raise SettingsError(f"ANTHROPIC_CUSTOM_HEADERS: {name!a} is not a header's name.")


def _is_loopback(base_url: str | None) -> bool:
    # A proxy from the environment must not be asked for a server on this machine.
    return base_url is not None and urlsplit(base_url).hostname in _LOOPBACK
