"""The two windows: what the API accepts, and what the person wants filled."""

from collections.abc import Sequence

from agent.models.capabilities import ModelInfo
from agent.protocol.meter import Windows, WindowSource
from agent.protocol.model import LearntWindow

MIN_WINDOW = 4_000  # below it there is no room for a prompt, a summary and their reserves
MIN_OUTPUT = 1_024  # the smallest answer we ever ask for

_WRITTEN_AS = {
    WindowSource.ENV: "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    WindowSource.FLAG: "--autocompact",
    WindowSource.SETTINGS: "autoCompactWindow in settings",
    WindowSource.EXPERIMENT: "experiments.autoCompactWindow",
}


def resolve_windows(
    info: ModelInfo,
    *,
    learnt: LearntWindow | None = None,
    flag_window: int | None = None,
    env_window: int | None = None,
    compaction: Sequence[tuple[int, WindowSource]] = (),
) -> tuple[Windows, tuple[str, ...]]:
    """The windows in force, in tokens, and one plain line for each value that was clamped or ignored.

    `flag_window` is `--context-window`, `env_window` is CLAUDE_CODE_MAX_CONTEXT_TOKENS: both speak only for models that the table
    does not know, and never above what the API reports. `learnt` is the API's word. `compaction` holds the candidates for the
    compaction window, the strongest first; the first decides.
    """
    model, source, notices = _model_window(info, learnt, flag_window, env_window)
    size, size_source, more = _compaction_window(model, source, compaction)
    windows = Windows(
        model=model,
        compaction=size,
        max_output=max(MIN_OUTPUT, _learnt_output(learnt) or info.max_output),
        source=source,
        compaction_source=size_source,
    )
    return windows, (*notices, *more)


def _model_window(
    info: ModelInfo, learnt: LearntWindow | None, flag: int | None, env: int | None
) -> tuple[int, WindowSource, tuple[str, ...]]:
    reported = learnt.max_input_tokens if learnt is not None and learnt.max_input_tokens > 0 else None
    declared, source, name = _declared(flag, env)
    if declared is None:
        return *_undeclared(info, reported), ()
    if info.known:
        window, true_source = _undeclared(info, reported)
        known = f"{name}={declared} is ignored: {info.id} is known to have {window:,} tokens"
        line = f"{known}; --autocompact or autoCompactWindow fills less of them."
        return window, true_source, (line,) if declared != window else ()
    if reported is not None and declared > reported:
        return (
            reported,
            WindowSource.API,
            (f"{name}={declared} is above the {reported:,} tokens the API reports; used {reported:,}.",),
        )
    if declared < MIN_WINDOW:
        return MIN_WINDOW, source, (f"{name}={declared} is too small; used {MIN_WINDOW:,}.",)
    return declared, source, ()


def _declared(flag: int | None, env: int | None) -> tuple[int | None, WindowSource, str]:
    if flag is not None:
        return flag, WindowSource.FLAG, "--context-window"
    return env, WindowSource.ENV, "CLAUDE_CODE_MAX_CONTEXT_TOKENS"


def _undeclared(info: ModelInfo, reported: int | None) -> tuple[int, WindowSource]:
    if reported is not None:
        return reported, WindowSource.API
    return info.window, WindowSource.TABLE if info.known else WindowSource.ASSUMED


def _compaction_window(
    model: int, model_source: WindowSource, candidates: Sequence[tuple[int, WindowSource]]
) -> tuple[int, WindowSource, tuple[str, ...]]:
    if not candidates:
        return model, model_source, ()
    size, source = candidates[0]
    if size >= model:
        return model, model_source, ()
    if size < MIN_WINDOW:
        smallest = min(MIN_WINDOW, model)
        line = f"{_WRITTEN_AS.get(source, source.value)}={size} is too small; used {smallest:,}."
        return smallest, source, (line,)
    return size, source, ()


def _learnt_output(learnt: LearntWindow | None) -> int | None:
    return None if learnt is None else learnt.max_tokens
