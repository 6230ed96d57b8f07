"""The six tools as the model sees them: order, size, environment."""

import json

from agent.process.secrets import mask_text
from agent.tokens.features import estimate_text
from agent.tools.console_text import both_ends, plain_text
from agent.tools.limits import Limits, limits_from_env, spill_file, spill_result
from agent.tools.read_state import FileReadState, stamp_of
from agent.tools.registry import all_tools


def test_order_and_kinds() -> None:
    specs = [tool.spec for tool in all_tools(Limits())]
    assert [spec.name for spec in specs] == ["Read", "Edit", "Write", "Grep", "Glob", "Bash"]
    assert [spec.name for spec in specs if spec.read_only] == ["Read", "Grep", "Glob"]
    assert all(spec.input_schema["type"] == "object" and spec.description for spec in specs)


def test_all_schemas_together_are_short() -> None:
    text = json.dumps([[s.name, s.description, s.input_schema] for s in (tool.spec for tool in all_tools(Limits()))])
    assert estimate_text(text, "v4.8") <= 1_700


def test_limits_of_the_environment() -> None:
    env = {
        "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "9000",
        "BASH_MAX_OUTPUT_LENGTH": "-4",
        "BASH_DEFAULT_TIMEOUT_MS": "900000",
        "BASH_MAX_TIMEOUT_MS": "much",
    }
    limits = limits_from_env(env)
    assert (limits.read_tokens, limits.bash_chars) == (9_000, Limits().bash_chars)
    assert (limits.bash_timeout_ms, limits.bash_max_timeout_ms) == (900_000, 900_000)


def test_a_large_result_goes_to_its_own_file(tmp_path) -> None:
    assert spill_result("short", 50_000, tmp_path, "a") == "short"
    text = spill_result("x" * 60_000, 50_000, tmp_path / "results", "../../evil")
    assert len(text) < 2_400 and str(tmp_path / "results" / "______evil.txt") in text
    assert (tmp_path / "results" / "______evil.txt").read_text() == "x" * 60_000
    assert spill_file(tmp_path, "").name == "result.txt"


def test_a_large_result_that_cannot_be_kept_says_so(tmp_path) -> None:
    (tmp_path / "file").touch()
    assert "Could not" in spill_result("x" * 60_000, 50_000, tmp_path / "file", "a")


def test_read_state_knows_a_file_by_all_its_names(tmp_path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.touch()
    link.symlink_to(real)
    state, stamp = FileReadState(), stamp_of(b"", real.stat())
    state.set(link, stamp)
    before = state.snapshot()
    state.set(tmp_path / "other", stamp)
    assert state.get(real) == stamp and state.recent() == (tmp_path / "other", real)
    state.restore(before)
    assert state.recent() == (real,)
    state.forget(link)
    assert state.get(real) is None


def test_plain_text_of_odd_sequences() -> None:
    assert plain_text("a\x1bPdcs\x1b\\b\x1b[6n\x9b31mc\x1b(B\x7f\x85d\te") == "abcd\te"
    assert plain_text("\x1b]open\nstill here\x1b") == "\nstill here"


def test_both_ends_cut_at_lines() -> None:
    text = "".join(f"line {i}\n" for i in range(100))
    short = both_ends(text, 30, 30, "[...]")
    assert short.split("\n")[0] == "line 0" and "\n[...]\nline 97\n" in short


def test_mask_nothing_changes_nothing() -> None:
    assert mask_text("text", ()) == "text"
