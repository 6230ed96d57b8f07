"""What every test gets: an environment of its own, without the machine's keys and settings."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine: a red check is about the change. `--hypothesis-profile=explore` looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile("steady")

OURS = ("ANTHROPIC_", "CLAUDE_", "CCAGENT_", "DISABLE_", "AWS_", "GOOGLE_", "VERTEX_", "BEDROCK_")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home folder; no variable of the machine steers the agent."""
    for name in list(os.environ):
        if name.startswith(OURS):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "MAX_THINKING_TOKENS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home
