"""Which window is in force, and whose word it is."""

import pytest

from agent.context.window import resolve_windows
from agent.models.table import lookup
from agent.protocol.meter import WindowSource
from agent.protocol.model import LearntWindow

KNOWN = lookup("claude-haiku-4-5")
UNKNOWN = lookup("qwen3-coder")


def test_the_table_speaks_when_nobody_else_does() -> None:
    windows, notices = resolve_windows(KNOWN)
    assert (windows.model, windows.source, windows.max_output) == (200_000, WindowSource.TABLE, 64_000)
    assert (windows.compaction, windows.compaction_source, notices) == (200_000, WindowSource.TABLE, ())


def test_the_api_beats_the_table() -> None:
    windows, _ = resolve_windows(KNOWN, learnt=LearntWindow(max_input_tokens=32_768, max_tokens=4_096))
    assert (windows.model, windows.source, windows.max_output) == (32_768, WindowSource.API, 4_096)


def test_an_unknown_model_is_assumed_and_marked() -> None:
    windows, _ = resolve_windows(UNKNOWN)
    assert (windows.model, windows.source) == (200_000, WindowSource.ASSUMED)


@pytest.mark.parametrize("learnt", [LearntWindow(0), LearntWindow(-1, -1), None])
def test_an_answer_without_a_window_is_no_answer(learnt: LearntWindow | None) -> None:
    windows, _ = resolve_windows(KNOWN, learnt=learnt)
    assert (windows.model, windows.source) == (200_000, WindowSource.TABLE)
    assert windows.max_output >= 1_024


def test_a_declared_window_counts_for_a_model_nobody_knows() -> None:
    assert resolve_windows(UNKNOWN, flag_window=32_768)[0].source is WindowSource.FLAG
    by_env, _ = resolve_windows(UNKNOWN, env_window=65_536)
    assert (by_env.model, by_env.source) == (65_536, WindowSource.ENV)
    both, _ = resolve_windows(UNKNOWN, flag_window=32_768, env_window=65_536)
    assert both.model == 32_768


def test_a_declared_window_is_ignored_for_a_known_model_and_the_person_is_told() -> None:
    windows, (line,) = resolve_windows(KNOWN, flag_window=32_768)
    assert (windows.model, windows.source) == (200_000, WindowSource.TABLE)
    assert line.startswith("--context-window=32768 is ignored: claude-haiku-4-5 is known to have 200,000 tokens; ")
    assert "--autocompact" in line
    assert resolve_windows(KNOWN, flag_window=200_000)[1] == ()


def test_a_declared_window_never_exceeds_what_the_api_reports() -> None:
    learnt = LearntWindow(max_input_tokens=32_768)
    windows, (line,) = resolve_windows(UNKNOWN, learnt=learnt, env_window=1_000_000)
    assert (windows.model, windows.source) == (32_768, WindowSource.API)
    assert "CLAUDE_CODE_MAX_CONTEXT_TOKENS=1000000" in line
    smaller, notices = resolve_windows(UNKNOWN, learnt=learnt, flag_window=16_000)
    assert (smaller.model, smaller.source, notices) == (16_000, WindowSource.FLAG, ())


@pytest.mark.parametrize("declared", [-5, 0, 3_999])
def test_an_absurdly_small_declared_window_is_clamped_and_named(declared: int) -> None:
    windows, (line,) = resolve_windows(UNKNOWN, flag_window=declared)
    assert windows.model == 4_000
    assert f"--context-window={declared}" in line


def test_the_first_candidate_decides_the_compaction_window() -> None:
    windows, _ = resolve_windows(
        lookup("opus"), compaction=[(300_000, WindowSource.ENV), (500_000, WindowSource.SETTINGS)]
    )
    assert (windows.model, windows.compaction, windows.compaction_source) == (1_000_000, 300_000, WindowSource.ENV)


def test_a_compaction_window_is_capped_by_the_model_window_without_fuss() -> None:
    windows, notices = resolve_windows(KNOWN, compaction=[(500_000, WindowSource.SETTINGS)])
    assert (windows.compaction, windows.compaction_source, notices) == (200_000, WindowSource.TABLE, ())


@pytest.mark.parametrize("size", [-1, 0, 500, 3_999])
def test_a_tiny_compaction_window_is_clamped_to_four_thousand(size: int) -> None:
    windows, (line,) = resolve_windows(KNOWN, compaction=[(size, WindowSource.ENV)])
    assert (windows.compaction, windows.compaction_source) == (4_000, WindowSource.ENV)
    assert line.startswith(f"CLAUDE_CODE_AUTO_COMPACT_WINDOW={size} ")
