"""Git may only read without a question where the repository's own config, hooks and submodules surely start nothing."""

import subprocess
from pathlib import Path

import pytest

from agent.permissions.git_repository import starts_nothing


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@x.org", *words], cwd=folder, check=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_ordinary_repositories(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "core.sshCommand", "ssh -i key")
    git(repo, "config", "core.hooksPath", ".husky/_")
    git(repo, "config", "core.fsmonitor", "true")
    git(repo, "config", "user.name", "Me # you; [x]")
    git(tmp_path, "clone", "-q", str(repo), "clone")
    git(repo, "worktree", "add", "-q", "../linked")
    (repo / "deep").mkdir()
    for folder in (repo, repo / "deep", tmp_path / "clone", tmp_path / "linked"):
        assert starts_nothing(folder), folder


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "./trap"),
        ("filter.x.clean", "./trap"),
        ("filter.x.process", "./trap"),
        ("diff.external", "./trap"),
        ("diff.x.textconv", "./trap"),
        ("diff.x.command", "./trap"),
        ("gpg.program", "./trap"),
        ("include.path", "../more"),
        ("core.worktree", "/"),
        ("remote.origin.promisor", "true"),
        ("core.hooksPath", "~/hooks"),
        ("what.nobody.knows", "x"),
    ],
)
def test_a_config_that_may_start_something(repo: Path, tmp_path: Path, key: str, value: str) -> None:
    git(repo, "worktree", "add", "-q", "../linked")
    git(repo, "config", key, value)
    assert not starts_nothing(repo)
    assert not starts_nothing(tmp_path / "linked")


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\teditor = a\\\n[user]\n\tfsmonitor = ./trap\n",  # git reads the third line as part of the value
        "[core] filemode = true\n[core]fsmonitor=./trap\n",
        "[user] [core] fsmonitor = ./trap\n",
        '[filter "a]b"]\n\tclean = ./trap\n',
        "\ufeff[FILTER.x]\r\n\tclean = ./trap\r\n",
        "[core\n",
    ],
)
def test_a_config_that_is_written_to_deceive(repo: Path, text: str) -> None:
    (repo / ".git" / "config").write_text(text, newline="")
    assert not starts_nothing(repo)


def test_a_hook_that_reading_sets_off(repo: Path) -> None:
    (repo / ".git" / "hooks" / "post-index-change").write_text("#!/bin/sh\n")
    assert not starts_nothing(repo)
    git(repo, "config", "core.hooksPath", "hooks")
    assert starts_nothing(repo)
    (repo / "hooks").mkdir()
    (repo / "hooks" / "post-index-change").write_text("#!/bin/sh\n")
    assert not starts_nothing(repo)


def test_submodules_have_configs_of_their_own(repo: Path) -> None:
    git(repo, "init", "-q", "inner")
    git(repo / "inner", "commit", "-q", "--allow-empty", "-m", "one")
    git(repo, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
    assert not starts_nothing(repo)
    assert starts_nothing(repo, submodules=False)


def test_odd_files_and_broken_repositories(repo: Path, tmp_path: Path) -> None:
    assert not starts_nothing(tmp_path)
    inner = repo / "inner"
    inner.mkdir()
    (inner / ".git").write_text("gitdir:\n")
    assert not starts_nothing(inner)
    (repo / ".git" / "config").unlink()
    (repo / ".git" / "config").symlink_to("/dev/zero")
    assert not starts_nothing(repo)
