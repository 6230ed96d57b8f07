"""What every test gets: an environment of its own, without the machine's keys and settings."""

import os
import resource
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine: a red check is about the change. `--hypothesis-profile=explore` looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile("steady")

# What begins so steers the agent, the programs that it starts, or what it draws.
OURS = "ANTHROPIC_ CLAUDE CCAGENT_ DISABLE_ AWS_ GOOGLE_ VERTEX_ BEDROCK_ API_TIMEOUT MAX_THINKING BASH_ TIKTOKEN_ DATA_GYM_"
PROGRAMS = "XDG_ GIT_ SSH_ RIPGREP_ HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT EDITOR VISUAL PAGER ENV CDPATH"
SCREEN = "NO_COLOR FORCE_COLOR COLORTERM COLUMNS LINES TMUX PROMPT_TOOLKIT_"
STEERING = tuple(f"{OURS} {PROGRAMS} {SCREEN}".split())


@pytest.fixture(scope="session", autouse=True)
def signals_that_children_hear() -> None:
    """Who is started in the background ignores some signals, and its children with it; one that we handle, even so, is theirs again."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """A limit that a test set on the size of files ends with its last line: its outcome is written to a file, perhaps."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        return (yield)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home folder; no variable of the machine steers anything."""
    for name in list(os.environ):
        if name.upper().startswith(STEERING):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    python = str(Path(sys.executable).parent)  # last: a python3 for scripts, where there is no other
    monkeypatch.setenv("PATH", os.pathsep.join((os.environ.get("PATH", os.defpath), python)))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home
