"""What a helper's key is put into, and that its repr hides it."""

from agent.session.key_helper import helped_credentials
from agent.settings.credentials import Credentials, routing_of


def test_without_a_gateway_it_is_the_key_alone() -> None:
    found = helped_credentials(Credentials(profile=True, custom_headers=(("x-team", "blue"),)), "key-1")
    assert (found.api_key, found.profile, found.custom_headers) == ("key-1", False, (("x-team", "blue"),))
    assert "key-1" not in repr(found)


def test_a_gateway_gets_it_both_ways_and_the_person_has_the_last_word() -> None:
    env = {"ANTHROPIC_BASE_URL": "http://gate", "ANTHROPIC_CUSTOM_HEADERS": "Authorization: mine"}
    found = helped_credentials(routing_of(env), "key-1")
    assert found.base_url == "http://gate"
    assert dict(found.custom_headers) == {"X-Api-Key": "key-1", "Authorization": "mine"}
    assert "key-1" in found.secrets
