"""The look back at a session: what each compaction lost, what was read again, where tokens and money went."""

import json
from pathlib import Path

import pytest

from agent.models.prices import cost
from agent.protocol.errors import SessionNotFound
from agent.protocol.messages import Usage, user_message
from agent.session.audit.audit import audit
from agent.session.audit.said import Summary, said_in
from agent.tokens.features import estimate_text
from agent.transcript.ledger import load
from tests.unit.transcript.transcript_support import assistant, boundary, create, fork, ledger_of, said, user, write

MODEL = "claude-sonnet-5-5"
DONE = {"type": "text", "text": "Done."}


def read(name: str, path: str) -> dict[str, object]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": path}}


def result(name: str, text: str) -> list[object]:
    return [{"type": "tool_result", "tool_use_id": name, "content": text}]


def summary(uuid: str, parent: str, text: str) -> dict[str, object]:
    return user(uuid, parent, text, isCompactSummary=True, isVisibleInTranscriptOnly=True)


RULE = "Never touch the migrations folder."
PORT = "Actually, use port 5433 for Postgres, not 5432."
BUTTON = "Make the save button blue."


def two_compactions(path: Path) -> Path:
    """A session of Claude Code's that lost something at each of two compactions, and read two files again after the first."""
    return write(
        path,
        user("u1", None, f"{RULE} {PORT} {BUTTON}"),
        assistant("a1", "u1", read("t1", "/p/a.py"), id="m1"),
        user("r1", "a1", result("t1", "x" * 400)),
        assistant("a2", "r1", {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "cat b.py"}}, id="m2"),
        user("r2", "a2", result("t2", "y" * 300)),
        assistant("a3", "r2", DONE, id="m3"),
        boundary("b1", "a3", preTokens=150_000, durationMs=81_000),
        summary("s1", "b1", f"The user said:\n- {RULE}\nPostgres must be reached on port 5433 and not on 5432."),
        user("u2", "s1", "Now fix the parser in src/parse.py."),
        assistant("a4", "u2", read("t3", "/p/a.py"), read("t4", "/p/new.py"), id="m4"),
        user("r4", "a4", [*result("t3", "x" * 400), *result("t4", "z")]),
        assistant("a5", "r4", {"type": "tool_use", "id": "t5", "name": "Bash", "input": {"command": "cat b.py"}}, id="m5"),
        user("r5", "a5", result("t5", "y" * 300)),
        assistant("a6", "r5", read("t6", "/p/a.py"), id="m6"),
        user("r6", "a6", result("t6", "x" * 400)),
        assistant("a7", "r6", DONE, id="m7"),
        boundary("b2", "a7", trigger="manual", preTokens=90_000, postTokens=1_234),
        summary("s2", "b2", "The parser in src/parse.py was fixed."),
        user("u3", "s2", "thanks"),
        assistant("a8", "u3", DONE, id="m8"),
    )  # fmt: skip


def test_a_sentence_is_lost_by_the_compaction_after_which_it_no_longer_stands(tmp_path: Path) -> None:
    first, second = audit(two_compactions(tmp_path / "s.jsonl")).compactions
    assert (first.said, first.verbatim, first.paraphrased) == (3, 1, 1)
    assert [(one.text, one.weight, one.uuid) for one in first.gone] == [(BUTTON, "words", "u1")]
    assert (second.said, second.verbatim, second.paraphrased) == (3, 0, 1)
    assert [(one.text, one.weight) for one in second.gone] == [(PORT, "correction"), (RULE, "rule")]


def test_sizes_are_those_of_the_records_and_the_summary_is_estimated(tmp_path: Path) -> None:
    first, second = audit(two_compactions(tmp_path / "s.jsonl")).compactions
    assert (first.trigger, first.pre_tokens, first.post_tokens, first.duration_ms) == ("auto", 150_000, 0, 81_000)
    assert (second.trigger, second.pre_tokens, second.post_tokens) == ("manual", 90_000, 1_234)
    assert (first.messages, second.messages) == (6, 9)
    assert second.summary == estimate_text("The parser in src/parse.py was fixed.")


def test_what_was_read_again_counts_until_the_next_compaction(tmp_path: Path) -> None:
    first, second = audit(two_compactions(tmp_path / "s.jsonl")).compactions
    assert [(one.path, one.times) for one in first.reread] == [("/p/a.py", 2), ("b.py", 1)]
    assert first.reread[0].tokens == 2 * estimate_text("x" * 400)
    assert first.reread_tokens == sum(one.tokens for one in first.reread)
    assert second.reread == ()


def test_kept_messages_stand_word_for_word(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message(RULE))
    transcript.append_message(said("ok"))
    kept = transcript.append_message(user_message(PORT))
    transcript.mark_boundary(
        trigger="auto",
        pre_tokens=2,
        post_tokens=1,
        summary=user_message("Nothing of note."),
        kept=[kept.uuid],
        attachments=[user_message(f"- {BUTTON}")],
        cost=0.05,
    )
    transcript.close()
    (loss,) = audit(transcript.path).compactions
    assert (loss.said, loss.verbatim, loss.cost) == (2, 1, 0.05)
    assert [one.text for one in loss.gone] == [RULE]


def test_an_undone_compaction_lost_nothing(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message(RULE))
    before = transcript.append_message(said("ok")).uuid
    transcript.mark_boundary(
        trigger="auto", pre_tokens=2, post_tokens=1, summary=user_message("S"), kept=(), attachments=()
    )
    transcript.move_leaf(before)
    transcript.close()
    found = audit(transcript.path)
    assert (found.compactions, found.undone, found.prompts) == ((), 1, 1)


@pytest.mark.parametrize(
    ("sentence", "text", "told"),
    [
        (RULE, f"- never touch the `migrations` folder\n{PORT}", "verbatim"),
        (PORT, "Postgres listens on port 5433 and not 5432", "paraphrased"),
        ("Rename load_all to load_each in loader.py", "loader.py: load_all is now load_each", "paraphrased"),
        ("Rename load_all to load_each in loader.py", "loader.py\nload_all\nload_each", "gone"),
        (RULE, "The migrations folder was looked at.", "gone"),
        ("Use ruff", "The user wants ruff in use.", "paraphrased"),
        ("Use ruff", "Use mypy.", "gone"),
        ("不要修改迁移文件", "用户说：不要修改迁移文件。", "verbatim"),
        (RULE, "", "gone"),
    ],
)
def test_a_summary_tells_word_for_word_or_in_other_words_on_one_line(sentence: str, text: str, told: str) -> None:
    assert Summary(text).tells(sentence) == told


def test_only_what_a_person_typed_was_said() -> None:
    paste = "\n".join(f"line {number} of a log" for number in range(500))
    ledger = ledger_of(
        user("u1", None, "<command-name>/compact</command-name> keep this."),
        user("u2", "u1", "A caveat of the tool.", isMeta=True),
        summary("u3", "u2", "A summary says this."),
        user("u4", "u3", result("t1", "A result says this.")),
        assistant("a1", "u4", {"type": "text", "text": "An answer says this."}),
        user("u5", "a1", "Look at `x`:\n```\nnever.call(this)\n```\nand fix it."),
        user("u6", "u5", f"My log is this.\n{paste}\nWhat is wrong with it?"),
    )
    found = [one.text for one in said_in(ledger)]
    assert found[:2] == ["Look at `x`:", "and fix it."]
    assert found[2] == "My log is this." and found[-1] == "What is wrong with it?"
    assert len(found) == 2 + 12


def test_the_bill_counts_each_answer_once_on_every_branch_and_subagents_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        user("u1", None),
        assistant("a1", "u1", DONE, id="m1"),
        assistant("a2", "a1", DONE, id="m1"),  # a second record of the same answer
        assistant("a3", "u1", DONE, id="m2"),  # another branch
        assistant("a4", "a3", DONE, id="m3", isSidechain=True),
    )
    write(tmp_path / "s" / "subagents" / "agent-1.jsonl", assistant("x1", None, DONE, id="n1"))
    found = audit(path)
    usage = Usage(input=10, output=5, cache_read=1, cache_creation=2)
    assert (found.spent.requests, found.spent.usage) == (3, usage + usage + usage)
    assert found.spent.dollars == pytest.approx(3 * (cost(MODEL, usage) or 0))
    assert (found.subagents.requests, found.subagents.usage, found.bill.requests) == (1, usage, 4)
    assert found.bill.models == (MODEL,)


def answered(uuid: str, model: str, **usage: object) -> dict[str, object]:
    record = assistant(uuid, None, DONE)
    message = record["message"]
    assert isinstance(message, dict)
    return record | {"message": message | {"model": model, "usage": usage or None}}


def test_unknown_prices_synthetic_answers_and_long_lived_caches(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        answered("a1", "some-local-model", input_tokens=7, output_tokens=None),
        answered("a2", "<synthetic>", input_tokens=9),
        answered("a3", MODEL),
    )
    found = audit(path).bill
    assert (found.requests, found.usage, found.dollars, found.unpriced) == (
        1,
        Usage(input=7),
        None,
        ("some-local-model",),
    )
    lifetimes = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 1_000}
    long_lived = answered("a1", MODEL, cache_creation_input_tokens=1_000, cache_creation=lifetimes)
    hour = audit(write(tmp_path / "t.jsonl", long_lived)).bill.dollars
    assert hour == pytest.approx(cost(MODEL, Usage(cache_creation=1_000), ttl="1h"))


def test_a_copy_of_a_conversation_costs_nothing_again(tmp_path: Path) -> None:
    path = two_compactions(tmp_path / "s.jsonl")
    copy = fork(path, tmp_path / "copy.jsonl")
    copy.append_message(said("more"), usage=Usage(input=100), message_id="m9", model=MODEL)
    copy.close()
    billed: set[str] = set()
    assert audit(path, billed).bill.requests == 8
    assert audit(copy.path, billed).bill.usage == Usage(input=100)
    assert audit(copy.path).bill.requests == 9


def test_tokens_by_source_of_all_and_of_what_is_left(tmp_path: Path) -> None:
    found = audit(two_compactions(tmp_path / "s.jsonl"))
    assert list(found.ever.tokens) == sorted(found.ever.tokens, key=lambda name: -found.ever.tokens[name])
    assert set(found.ever.tokens) == {
        *("Read calls", "Read results", "Bash calls", "Bash results", "prompts", "answers", "summaries"),
    }
    assert set(found.now.tokens) == {"summaries", "prompts", "answers"}
    assert (found.now.messages, found.ever.messages) == (3, 18)
    assert found.reported == 18
    assert (found.prompts, found.answers, found.title) == (3, 8, f"{RULE} {PORT} {BUTTON}")
    assert (found.first, found.cwd) == ("2030-01-01T00:00:00.000Z", "/project")


def test_nothing_is_changed_and_damage_is_named(tmp_path: Path) -> None:
    path = two_compactions(tmp_path / "s.jsonl")
    with path.open("ab") as file:
        file.write(b'{"type":"assis\xff\x00')
    before = path.read_bytes()
    found = audit(path)
    assert found.notices == (
        "Transcript: the last record was cut off while it was saved; everything before it is there.",
    )
    assert len(found.compactions) == 2
    assert path.read_bytes() == before


def test_what_is_no_transcript(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        audit(tmp_path / "nobody.jsonl")
    (tmp_path / "notes.jsonl").write_text(json.dumps({"a": 1}) + "\nhello\n")
    found = audit(tmp_path / "notes.jsonl")
    assert (found.ever.messages, found.bill.requests, found.compactions, found.reported) == (0, 0, (), None)
    assert len(load(tmp_path / "notes.jsonl")) == 0
