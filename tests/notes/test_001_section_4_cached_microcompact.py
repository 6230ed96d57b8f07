"""Design note 001, section 4: the gates of the cached microcompact, from left to right: enabled, model supports it, main thread."""

import pytest

from agent.context.rewrite import Route, legal_routes
from agent.protocol.source import QuerySource, is_main_thread

DYING = ("answer-1",)


@pytest.mark.parametrize(("supported", "first"), [(True, Route.SERVER_CLEAR), (False, Route.STRIP)])
def test_without_the_model_s_support_it_falls_back_to_our_own_clearing(supported: bool, first: Route) -> None:
    routes = legal_routes(DYING, clears_tool_uses=supported)
    assert routes[0] is first


def test_where_nothing_would_be_lost_our_own_clearing_is_enough() -> None:
    assert legal_routes((), clears_tool_uses=True) == (Route.EDIT,)


@pytest.mark.parametrize(
    ("source", "main"),
    [
        (None, True),
        ("repl_main_thread", True),
        ("repl_main_thread:outputStyle", True),
        ("sdk", True),
        ("agent:subagent-1", False),
        (QuerySource.COMPACT.value, False),
        (QuerySource.SIDE.value, False),
    ],
)
def test_only_the_main_thread_edits_the_main_thread_s_history(source: str | None, main: bool) -> None:
    assert is_main_thread(source) is main
