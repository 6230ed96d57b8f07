"""Claude Code's own files: every record type, one record for each block, parallel calls, preserved messages, old summaries."""

from pathlib import Path

from agent.protocol.messages import Usage
from agent.transcript.entries import MessageEntry
from agent.transcript.invariants import repair
from agent.transcript.ledger import load, notices_of
from agent.transcript.view import model_view, screen_view
from tests.unit.transcript.transcript_support import (
    answer,
    assistant,
    boundary,
    fork,
    ledger_of,
    record,
    reopen,
    seen,
    texts,
    use,
    user,
    write,
)


def test_one_answer_told_in_several_records_is_one_message_and_its_usage_counts_once() -> None:
    ledger = ledger_of(
        user("u1", None),
        assistant("a1", "u1", {"type": "thinking", "thinking": "", "signature": "c2ln"}, id="m"),
        assistant("a2", "a1", {"type": "text", "text": "let me look"}, id="m"),
        assistant("a3", "a2", use("t1"), id="m"),
        user("r1", "a3", [answer("t1")]),
        assistant("a4", "r1"),
    )
    view = model_view(ledger, ledger.chain.leaf_uuid)
    assert texts(ledger, "a4") == ["u1", "Thinking+let me look+t1", "->t1", "a4"]
    assert [entry.usage for entry in view if entry.usage] == [
        Usage(input=10, output=5, cache_read=1, cache_creation=2)
    ] * 2
    assert (view[1].uuid, view[1].parent_uuid) == ("a3", "u1")
    assert repair([entry.message for entry in view])[1] == ()


def test_parallel_calls_whose_results_hang_on_their_own_blocks_are_all_there() -> None:
    ledger = ledger_of(
        user("u1", None),
        assistant("a1", "u1", use("t1"), id="m"),
        assistant("a2", "a1", use("t2"), id="m"),
        assistant("a3", "a2", use("t3"), id="m"),
        user("r1", "a1", [answer("t1")]),
        user("r2", "a2", [answer("t2")]),
        user("r3", "a3", [answer("t3")]),
        assistant("a4", "r1"),
    )
    legal, notices = repair([entry.message for entry in model_view(ledger, "a4")])
    assert notices == ()
    assert [use.id for use in legal[1].tool_uses] == ["t1", "t2", "t3"]
    assert [result.tool_use_id for result in legal[2].tool_results] == ["t1", "t2", "t3"]


def test_a_second_result_beside_the_path_is_not_wanted() -> None:
    ledger = ledger_of(
        user("u1", None),
        assistant("a1", "u1", use("t1")),
        user("r1", "a1", [answer("t1")]),
        user("r2", "a1", [answer("t1")]),
        assistant("a2", "r2"),
    )
    assert [entry.uuid for entry in model_view(ledger, "a2")] == ["u1", "a1", "r2", "a2"]
    assert texts(ledger, "a1") == ["u1", "t1"]


def test_a_rewound_prompt_beside_the_path_stays_beside_it() -> None:
    ledger = ledger_of(
        user("u1", None), assistant("a1", "u1"), user("u2", "a1"), assistant("a2", "u2"), user("u3", "a1"), assistant("a3", "u3")
    )  # fmt: skip
    assert texts(ledger, ledger.chain.leaf_uuid) == ["u1", "a1", "u3", "a3"]


def test_system_and_progress_records_are_links_that_no_model_sees() -> None:
    ledger = ledger_of(
        user("u1", None),
        record("progress", "p1", "u1", data={"type": "hook_progress"}, toolUseID="x"),
        assistant("a1", "p1"),
        record("system", "s1", "a1", subtype="turn_duration", durationMs=5),
        {
            "type": "file-history-snapshot",
            "messageId": "u1",
            "snapshot": {"trackedFileBackups": {}},
            "isSnapshotUpdate": False,
        },
        {"type": "queue-operation", "operation": "enqueue", "content": "later", "sessionId": "foreign"},
        user("u2", "s1"),
    )
    assert texts(ledger, ledger.chain.leaf_uuid) == ["u1", "a1", "u2"]
    assert [entry.uuid for entry in screen_view(ledger, "u2")] == ["u1", "p1", "a1", "s1", "u2"]
    assert notices_of(ledger) == ()


def test_markers_after_the_last_message_do_not_move_the_leaf() -> None:
    ledger = ledger_of(
        user("u1", None), assistant("a1", "u1"), record("progress", "p", "u1"), {"type": "last-prompt", "lastPrompt": "u1"}
    )  # fmt: skip
    assert ledger.chain.leaf_uuid == "a1"


def test_sidechains_are_left_out() -> None:
    ledger = ledger_of(
        user("u1", None),
        assistant("a1", "u1", use("task")),
        user("side1", None, isSidechain=True),
        assistant("side2", "side1", isSidechain=True),
        user("r1", "a1", [answer("task")]),
        assistant("side3", "side2", isSidechain=True),
    )
    assert texts(ledger, ledger.chain.leaf_uuid) == ["u1", "task", "->task"]


def test_answers_that_no_model_gave_are_shown_and_not_sent() -> None:
    failed = assistant("a1", "u1", isApiErrorMessage=True)
    failed["message"] |= {"model": "<synthetic>"}  # type: ignore[operator]  # it is a dict
    ledger = ledger_of(user("u1", None), failed, user("u2", "a1"))
    assert texts(ledger, "u2") == ["u1", "u2"]
    assert len(screen_view(ledger, "u2")) == 3


def test_queued_prompts_and_hook_context_are_sent_and_other_attachments_are_not() -> None:
    ledger = ledger_of(
        user("u1", None),
        record("attachment", "x1", "u1", attachment={"type": "queued_command", "prompt": "and this"}),
        record("attachment", "x2", "x1", attachment={"type": "hook_additional_context", "content": ["from", "a hook"]}),
        record("attachment", "x3", "x2", attachment={"type": "hook_success", "content": "ok"}),
        record(
            "attachment",
            "x4",
            "x3",
            attachment={"type": "queued_command", "prompt": [{"type": "text", "text": "blocks"}]},
        ),
        assistant("a1", "x4"),
    )
    assert texts(ledger, "a1") == ["u1", "and this", "from\na hook", "blocks", "a1"]


def preserved(*, again: bool, **metadata: object) -> list[dict[str, object]]:
    """A compaction that kept a2, u3, a3; with `again`, the last of them written once more under the summary."""
    return [
        user("u1", None),
        assistant("a1", "u1"),
        user("u2", "a1"),
        assistant("a2", "u2"),
        user("u3", "a2"),
        *([] if again else [assistant("a3", "u3")]),
        boundary("cut", "a3", **metadata),
        user("sum", "cut", isCompactSummary=True),
        *([assistant("a3", "sum")] if again else []),
        user("u4", "a3"),
        assistant("a4", "u4"),
    ]


SEGMENT = {"headUuid": "a2", "anchorUuid": "sum", "tailUuid": "a3"}
LISTED = {"anchorUuid": "sum", "uuids": ["a2", "u3", "a3"], "allUuids": ["a2", "u3", "a3"]}
EXPECTED = ["sum", "a2", "u3", "a3", "u4", "a4"]


def test_preserved_messages_stand_after_the_summary_and_the_old_history_stays_whole() -> None:
    ledger = ledger_of(*preserved(again=False, preservedSegment=SEGMENT, preservedMessages=LISTED))
    assert texts(ledger, ledger.chain.leaf_uuid) == EXPECTED
    assert [entry.uuid for entry in screen_view(ledger, "a4")] == [
        "u1",
        "a1",
        "u2",
        "a2",
        "u3",
        "a3",
        "cut",
        "sum",
        "u4",
        "a4",
    ]
    assert texts(ledger, "a3") == ["u1", "a1", "u2", "a2", "u3", "a3"]


def test_a_segment_told_by_its_ends_is_enough() -> None:
    ledger = ledger_of(*preserved(again=False, preservedSegment=SEGMENT))
    assert texts(ledger, ledger.chain.leaf_uuid) == EXPECTED


def test_a_preserved_message_that_was_written_again_hangs_where_it_was() -> None:
    ledger = ledger_of(*preserved(again=True, preservedSegment=SEGMENT, preservedMessages=LISTED))
    assert texts(ledger, ledger.chain.leaf_uuid) == EXPECTED
    assert [entry.uuid for entry in screen_view(ledger, "a4")] == [
        "u1",
        "a1",
        "u2",
        "a2",
        "u3",
        "a3",
        "cut",
        "sum",
        "u4",
        "a4",
    ]
    assert notices_of(ledger) == ()


def test_a_compaction_that_kept_nothing() -> None:
    ledger = ledger_of(*preserved(again=False)[:-2], user("u4", "sum"), assistant("a4", "u4"))
    assert texts(ledger, ledger.chain.leaf_uuid) == ["sum", "u4", "a4"]


def test_kept_messages_that_are_nowhere_are_named() -> None:
    ledger = ledger_of(
        user("u1", None),
        boundary("cut", "u1", preservedMessages={"anchorUuid": "sum", "uuids": ["u1", "gone"]}),
        user("sum", "cut", isCompactSummary=True),
    )
    assert texts(ledger, "sum") == ["sum", "u1"]
    assert notices_of(ledger) == ("Transcript: 1 kept message missing after a compaction; the summary is there.",)


def test_a_kept_answer_told_in_several_records_is_kept_whole() -> None:
    ledger = ledger_of(
        user("u1", None),
        assistant("a1", "u1", {"type": "text", "text": "x"}, id="m"),
        assistant("a2", "a1", {"type": "text", "text": "y"}, id="m"),
        boundary("cut", "a2", preservedMessages={"anchorUuid": "sum", "uuids": ["a2"]}),
        user("sum", "cut", isCompactSummary=True),
        user("u2", "a2"),
    )
    assert texts(ledger, "u2") == ["sum", "x+y", "u2"]


def test_a_boundary_without_a_summary_hides_nothing() -> None:
    ledger = ledger_of(user("u1", None), assistant("a1", "u1"), boundary("cut", "a1"), user("u2", "cut"))
    assert texts(ledger, "u2") == ["u1", "a1", "u2"]


def test_a_boundary_at_the_end_did_not_happen() -> None:
    ledger = ledger_of(user("u1", None), assistant("a1", "u1"), boundary("cut", "a1"))
    assert texts(ledger, ledger.chain.leaf_uuid) == ["u1", "a1"]


def test_a_boundary_whose_words_we_do_not_know_is_still_a_boundary() -> None:
    ledger = ledger_of(
        user("u1", None), boundary("cut", "u1", preTokens="many", trigger=None), user("sum", "cut", isCompactSummary=True)
    )  # fmt: skip
    assert texts(ledger, "sum") == ["sum"]


def test_an_old_session_with_summary_records_and_string_content(tmp_path: Path) -> None:
    path = write(
        tmp_path / "old.jsonl",
        {"type": "summary", "summary": "An old title", "leafUuid": "a1"},
        user("u1", None, "hello"),
        assistant("a1", "u1"),
    )
    ledger = load(path)
    assert texts(ledger, ledger.chain.leaf_uuid) == ["hello", "a1"]


def test_a_foreign_session_is_continued_in_a_file_of_ours(tmp_path: Path) -> None:
    source = write(
        tmp_path / "claude" / "foreign.jsonl",
        *preserved(again=False, preservedMessages=LISTED),
        {"type": "custom-title", "customTitle": "Mine", "sessionId": "foreign"},
        user("u5", "a1", "another branch"),
        user("u6", "a4"),
    )
    before = source.read_bytes()
    ours = fork(source, tmp_path / "ours" / "new.jsonl")
    assert seen(ours) == [*EXPECTED, "u6"]
    ours.append_message(model_view(ours.entries(), ours.leaf)[0].message)
    ours.close()
    assert source.read_bytes() == before
    again = reopen(ours.path)
    assert again.notices == ()
    assert seen(again) == [*EXPECTED, "u6", "sum"]
    assert b'"sessionId":"foreign"' not in ours.path.read_bytes()
    assert b"another branch" not in ours.path.read_bytes()
    assert "custom-title" in again.entries().metadata


def test_a_fork_of_a_compacted_session_of_ours_can_still_be_undone(tmp_path: Path) -> None:
    ledger = [*preserved(again=False, preservedMessages=LISTED)]
    ours = fork(write(tmp_path / "a.jsonl", *ledger), tmp_path / "b.jsonl")
    second = fork(ours.path, tmp_path / "c.jsonl")
    second.move_leaf("a3")
    assert seen(second) == ["u1", "a1", "u2", "a2", "u3", "a3"]
    assert all(isinstance(entry, MessageEntry) for entry in screen_view(second.entries(), second.leaf))
