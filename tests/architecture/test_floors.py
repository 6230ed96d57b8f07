"""The floors of the building: who may import whom, and what an import costs."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
SCREEN = {"textual", "rich", "prompt_toolkit", "pygments"}


def modules_after(*arguments: str) -> set[str]:
    """The modules that are loaded after `python -c CODE ARGUMENTS...` ran."""
    report = "import atexit, sys; atexit.register(lambda: sys.stderr.write(chr(10).join(sys.modules)));"
    code, *words = arguments
    finished = subprocess.run(
        [sys.executable, "-c", report + code, *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=PATIENCE,
    )
    return set(finished.stderr.split())


def roots(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_rooms_import_only_what_lies_below(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_the_engine_loads_neither_the_sdk_nor_a_screen() -> None:
    loaded = roots(modules_after("import agent.api"))
    assert "agent" in loaded
    assert loaded & {"anthropic", "tiktoken", "tui", *SCREEN} == set()


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_the_quick_answers_load_nothing_heavy(flag: str) -> None:
    loaded = modules_after("import tui.cli; sys.exit(tui.cli.main(sys.argv[1:]))", flag)
    assert {name for name in loaded if name.startswith("agent")} <= {"agent", "agent.protocol", "agent.protocol.errors"}
    assert roots(loaded) & {"msgspec", "asyncio", "argparse", "anthropic", *SCREEN} == set()


def test_headless_loads_no_screen() -> None:
    loaded = roots(modules_after("import tui.headless.run, tui.session_options"))
    assert loaded & {"anthropic", *SCREEN} == set()
