"""Which edits of earlier messages the API accepts: judged by the rehearsal server's signatures, over random histories."""

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent.anthropic_api.wire import EDITING_BETA, request_body
from agent.context.edits import NO_EDITS, Editor, Edits, has_thinking
from agent.context.rewrite import Route, clear_tool_uses, dying_thinking, legal_routes
from agent.models.table import lookup
from agent.protocol.blocks import Text, ToolResult, block_from_json
from agent.protocol.messages import Message, user_message
from agent.protocol.model import Request, ThinkingAdaptive, ToolSpec
from agent.rehearsal.http1 import HttpRequest
from agent.rehearsal.messages_api import MessagesApi, Settings
from agent.rehearsal.replies import Reply
from agent.rehearsal.script import Script, reply, summary, text, thinking, tool
from agent.transcript.entries import MessageEntry
from agent.transcript.invariants import repair

BOUND, FREE = "claude-sonnet-5-5", "claude-opus-5"
COMPACTION_BETA = "compact-2026-09-04"
STUB = "[Old tool result content cleared] Read a.py"
TOOLS = tuple(ToolSpec(name, "A tool.", {"type": "object"}) for name in ("Read", "Ask"))

Step = tuple[bool, int]
"""One answer: whether it thinks, and how many tools it calls."""

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=2, max_size=12)


class Talk:
    """A conversation with a scripted model behind the strict API, edited as a session would edit it."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.view: list[MessageEntry] = []
        self.edits: Edits = NO_EDITS
        self.signed = False
        self._api = MessagesApi(None, Settings(), lambda: 0.0)
        self._editor = Editor()

    def add(self, message: Message) -> None:
        self.view.append(MessageEntry(uuid=f"u{len(self.view)}", parent_uuid=None, message=message))

    def go(self, steps: list[Step]) -> None:
        """Plays the steps; every request must be accepted."""
        for number, (thinks, calls) in enumerate(steps):
            if not self.view or self.view[-1].message.role == "assistant":
                self.add(user_message(f"request {len(self.view)}"))
            names = [tool("Ask" if n == 2 else "Read", {"file_path": f"{len(self.view)}-{n}.py"}) for n in range(calls)]
            thought = [thinking(f"thought {len(self.view)}")] if thinks else []
            status, answer = self.ask(reply(*thought, *(names or [text(f"said {number}")])))
            assert status == 200, answer
            content = msgspec.json.decode(answer["content"], type=list[msgspec.Raw])
            self.add(Message("assistant", tuple(block_from_json(bytes(raw)) for raw in content)))
            if names:
                results = [
                    ToolResult(tool_use_id=call.id, content="r" * 400) for call in self.view[-1].message.tool_uses
                ]
                self.add(Message("user", tuple(results)))

    def ask(self, scripted: Reply, *, summarize: bool = False) -> tuple[int, dict[str, msgspec.Raw]]:
        """One request; its status and the whole message of the answer."""
        self._api.script = Script([scripted])
        sent = [entry.message for entry in self._editor.sent(self.view, self.edits)]
        legal, notices = (
            (tuple(sent), ()) if self.signed else repair(sent)
        )  # a block stands before the first user message
        assert not [line for line in notices if "thinking" not in line]
        body = request_body(
            Request(
                model=self.model,
                system=("You are a test.",),
                tools=TOOLS,
                messages=legal,
                max_tokens=2_000,
                thinking=ThinkingAdaptive(),
                clear_tool_uses=clear_tool_uses(legal, self.edits.server_cleared),
            ),
            ttl="5m",
        )
        if summarize:
            body["compaction"] = {"type": "summarize"}
        headers = {
            "x-api-key": "k",
            "anthropic-version": "2026-10-21",
            "content-type": "application/json",
            "anthropic-beta": COMPACTION_BETA if self.signed else EDITING_BETA,
        }
        outcome, _record = self._api.messages(
            HttpRequest("POST", "/v1/messages", "", headers, msgspec.json.encode(body))
        )
        return outcome.status, msgspec.json.decode(outcome.events[0].data, type=dict[str, msgspec.Raw])

    def prompts(self) -> list[int]:
        """Where a beginning may end: the places of the person's messages, but the first."""
        said = [place for place, entry in enumerate(self.view) if entry.message.role == "user"]
        return [place for place in said if place and not self.view[place].message.tool_results]

    def sign(self, cut: int) -> None:
        """Has the server summarise everything before `cut` and puts its block there, byte for byte."""
        kept, self.signed = self.view[cut:], True
        self.view = self.view[:cut]
        status, answer = self.ask(summary("what was said"), summarize=True)
        assert status == 200, answer
        (block,) = msgspec.json.decode(answer["content"], type=list[msgspec.Raw])
        message = Message("assistant", (block_from_json(bytes(block)),))
        self.view = [MessageEntry(uuid="signed", parent_uuid=None, message=message), *kept]

    def results(self) -> list[tuple[int, str]]:
        """(place, id) of every result of Read."""
        reads = {call.id for entry in self.view for call in entry.message.tool_uses if call.name == "Read"}
        return [
            (place, result.tool_use_id)
            for place, entry in enumerate(self.view)
            for result in entry.message.tool_results
            if result.tool_use_id in reads
        ]

    def clear(self, results: list[tuple[int, str]], route: Route, dying: tuple[str, ...]) -> None:
        """Edits the history by `route`."""
        names = [name for _place, name in results]
        match route:
            case Route.SERVER_CLEAR:
                self.edits = msgspec.structs.replace(self.edits, server_cleared=(*self.edits.server_cleared, *names))
            case Route.EDIT | Route.STRIP:
                texts = self.edits.texts | dict.fromkeys(names, STUB)
                stripped = (*self.edits.stripped, *(dying if route is Route.STRIP else ()))
                self.edits = msgspec.structs.replace(self.edits, texts=texts, stripped=stripped)


@pytest.mark.parametrize("model", [BOUND, FREE])
@given(data=st.data(), before=STEPS, after=STEPS)
@settings(max_examples=60, deadline=None)
def test_every_legal_route_is_accepted_and_stays_so(
    model: str, data: st.DataObject, before: list[Step], after: list[Step]
):
    talk = Talk(model)
    talk.go(before)
    for more in (after, after[:3]):  # a second edit on top of the first
        results = [found for found in talk.results() if found[1] not in talk.edits.texts]
        assume(results)
        chosen = sorted(data.draw(st.sets(st.sampled_from(results), min_size=1)))
        dying = dying_thinking(lookup(model), talk.view, chosen[0][0])
        routes = legal_routes(dying, clears_tool_uses=True)
        route = data.draw(st.sampled_from(routes))
        if route is Route.SERVER_CLEAR:  # from the oldest on
            chosen = talk.results()[: data.draw(st.integers(1, len(talk.results())))]
        talk.clear(chosen, route, dying)
        talk.go(more)


@given(before=STEPS)
@settings(max_examples=40, deadline=None)
def test_without_a_route_the_edit_is_refused_where_thinking_is_bound(before: list[Step]):
    talk = Talk(BOUND)
    talk.go([*before, (False, 1), (True, 1)])
    first = talk.results()[0]
    dying = dying_thinking(lookup(BOUND), talk.view, first[0])
    assert dying  # the last step thinks after the first result
    talk.clear([first], Route.EDIT, ())
    status, error = talk.ask(reply(text("never said")))
    assert status == 400
    assert b"bound to a different conversation" in bytes(error["error"])


@given(before=STEPS)
@settings(max_examples=40, deadline=None)
def test_the_server_leaves_out_exactly_the_same_results_as_the_talk_goes_on(before: list[Step]):
    talk = Talk(BOUND)
    talk.go([(True, 3), *before])
    cleared = [name for _place, name in talk.results()[:2]]
    for steps in ([], [(True, 2)], [(False, 1), (True, 0)]):
        talk.go(steps)
        messages = [entry.message for entry in talk.view]
        told = clear_tool_uses(messages, cleared)
        uses = [call for message in messages for call in message.tool_uses]
        gone = [call.id for call in uses[: len(uses) - told.keep] if call.name not in told.exclude_tools]
        assert gone == cleared


def test_where_nothing_is_bound_or_nothing_thought_the_edit_is_free():
    assert legal_routes((), clears_tool_uses=True) == (Route.EDIT,)
    talk = Talk(FREE)
    talk.go([(True, 1), (True, 1), (True, 0)])
    assert dying_thinking(lookup(FREE), talk.view, 2) == ()


@given(data=st.data(), before=STEPS, after=STEPS)
@settings(max_examples=60, deadline=None)
def test_a_signed_block_stands_for_any_beginning_and_the_thinking_behind_it_lives(
    data: st.DataObject, before: list[Step], after: list[Step]
):
    talk = Talk(BOUND)
    talk.go([*before, (True, 0), (True, 1), (True, 0)])
    cut = data.draw(st.sampled_from(talk.prompts()))
    thought = sum(has_thinking(entry.message) for entry in talk.view[cut:])
    talk.sign(cut)
    talk.go([*after, (False, 0)])  # every request is accepted
    assert sum(has_thinking(entry.message) for entry in talk.view) >= thought > 0


@given(before=STEPS)
@settings(max_examples=20, deadline=None)
def test_words_of_ours_in_the_place_of_a_signed_block_kill_the_thinking_behind_them(before: list[Step]):
    talk = Talk(BOUND)
    talk.go([*before, (True, 0), (True, 1), (True, 0)])
    cut = talk.prompts()[-1]
    ours = Message("assistant", (Text(text="what was said"),))
    opening = MessageEntry(uuid="o", parent_uuid=None, message=user_message("Go on."))
    talk.view = [opening, MessageEntry(uuid="s", parent_uuid=None, message=ours), *talk.view[cut:]]
    status, error = talk.ask(reply(text("never said")))
    assert status == 400
    assert b"bound to a different conversation" in bytes(error["error"])
