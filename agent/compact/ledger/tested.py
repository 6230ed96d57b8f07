"""Tests: how each ended the last time it ran."""

from collections.abc import Sequence

from msgspec import Struct

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Done
from agent.compact.ledger.single_results import SingleResult, Verdict, all_passed, results_in, runs_tests

FAILING_WORDS = ("fail", "error", "broken", "red", "not pass", "still", "失败", "报错", "错误", "未通过", "不通过")
PASSING_WORDS = (
    "pass",
    "green",
    "fixed",
    "fixes",
    "ok",
    "succe",
    "now work",
    "resolved",
    "通过",
    "修复",
    "成功",
    "解决",
)
MOST_PASSING = 20  # tests that never failed are told by name only when they are few
_NARROWED = (" -k", " -m ", " --lf", " --last-failed", " -x", " --maxfail", " --deselect", " -run")


class _State(Struct):
    verdict: Verdict
    scope: str
    uuid: str
    ever_failed: bool


def test_facts(done: Sequence[Done]) -> list[Fact]:
    """The last known state of each test: those that fail, those that failed and pass now, and a few that always passed."""
    states: dict[str, _State] = {}
    for one in done:
        command = one.argument("command")
        if one.call.name != "Bash" or not runs_tests(command):
            continue
        for result in results_in(one.result):
            _note(states, result, one.uuid)
        if not one.is_error and all_passed(one.result):
            _clear_failing(states, command, one.uuid)
    always = [name for name, state in states.items() if not state.ever_failed]
    told = {name: state for name, state in states.items() if state.ever_failed or len(always) <= MOST_PASSING}
    return [_fact(name, state) for name, state in told.items()]


def _note(states: dict[str, _State], result: SingleResult, uuid: str) -> None:
    before = states.pop(result.id, None)
    failed = result.verdict == "failing" or (before is not None and before.ever_failed)
    states[result.id] = _State(result.verdict, result.scope, uuid, failed)
    if result.id == result.scope and result.verdict == "passing":  # a go package: so all its tests pass
        for state in states.values():
            if state.scope == result.scope:
                state.verdict, state.uuid = "passing", uuid


def _clear_failing(states: dict[str, _State], command: str, uuid: str) -> None:
    """A quiet run that passed says of the tests it surely held that they pass."""
    narrowed = any(word in f" {command} " for word in _NARROWED)
    targets = [word for word in command.split() if ".py" in word or "::" in word or word.endswith("/")]
    for name, state in states.items():
        named = any(name == word or (not narrowed and name.startswith(word.removeprefix("./"))) for word in targets)
        if state.verdict == "failing" and (named or not (targets or narrowed)):
            state.verdict, state.uuid = "passing", uuid


def _fact(name: str, state: _State) -> Fact:
    needles = (normalised(name), *([normalised(name.rpartition("::")[2])] if "::" in name else []))
    return Fact(
        kind=state.verdict,
        line=name,
        needles=needles,
        states=FAILING_WORDS if state.verdict == "failing" else PASSING_WORDS,
        against=PASSING_WORDS if state.verdict == "failing" else (),
        source=state.uuid,
        only_if_named=state.verdict == "passing" and not state.ever_failed,
    )
