"""What stands where: the top level, the packaged files, and pages that say what is there."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agent.session.slash import COMMANDS as COMMANDS_TYPED
from tests.support.patience import PATIENCE
from tui.args import COMMANDS, OPTIONS

ROOT = Path(__file__).parents[2]
TOP = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CLAUDE.md.example",
    "LICENSE",
    "README.md",
    "agent",
    "docs",
    "pyproject.toml",
    "tests",
    "tui",
}


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.split("\0") if path]


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_top_level_is_as_agreed() -> None:
    assert {path.partition("/")[0] for path in tracked()} == TOP


def test_no_package_initialiser_runs_anything() -> None:
    for package in ("agent", "tui"):
        assert len(text(f"{package}/__init__.py").strip().splitlines()) == 1


def test_the_readme_names_the_commands_and_options() -> None:
    readme = text("README.md")
    options = [option for option in OPTIONS if option.startswith("--") and option != "--verbose"]
    assert [word for word in (*options, *(f"ccagent {c}" for c in COMMANDS)) if word not in readme] == []


def test_the_readme_names_the_slash_commands() -> None:
    readme = text("README.md")
    assert [command.name for command in COMMANDS_TYPED if f"`/{command.name}" not in readme] == []


def test_ci_and_readme_run_the_same_tests() -> None:
    command = re.search(r"\.venv/bin/(pytest[^`\n]*)", text("README.md"))
    assert command is not None
    assert re.search(rf"/bin/{re.escape(command.group(1).strip())}$", text(".ci/run").replace('"', ""), re.MULTILINE)


def test_rows_of_tables_have_the_columns_of_their_head() -> None:
    """A bar in a cell is `\\|`, also within code."""
    broken = []
    for page in (path for path in tracked() if path.endswith(".md")):
        columns = 0
        for number, line in enumerate(text(page).splitlines(), start=1):
            bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            columns = columns or bars if bars else 0
            broken += [f"{page}:{number}"] if bars != columns else []
    assert broken == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [path for path in tracked() if path.endswith(".md")]
    broken = [
        f"{page} -> {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text(page))
        if not (ROOT / page).parent.joinpath(target).exists()
    ]
    assert broken == []


def test_every_dependency_is_pinned_for_the_checks() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[<>=!~ \[]", need)[0].lower().replace("_", "-") for need in wanted}
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in text(".ci/constraints.txt").splitlines()}
    assert names - pinned == set()


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_installed_script_answers(word: str) -> None:
    script = Path(sys.executable).with_name("ccagent")
    finished = subprocess.run([script, word], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert finished.stdout.startswith(("ccagent ", "Usage: ccagent"))
    assert finished.stderr == ""
