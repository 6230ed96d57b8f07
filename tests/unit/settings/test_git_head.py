"""The branch of a work tree, read from its HEAD."""

import os
import subprocess
from pathlib import Path

import pytest

from agent.settings.git_head import git_branch

COMMIT = ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def work_tree(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "feature/größe")
    return tmp_path


def test_a_branch_before_and_after_its_first_commit_and_a_detached_head(work_tree: Path) -> None:
    assert git_branch(work_tree) == "feature/größe"
    git(work_tree, *COMMIT)
    assert git_branch(work_tree) == "feature/größe"
    git(work_tree, "checkout", "-q", "--detach")
    assert git_branch(work_tree) == ""


def test_a_linked_work_tree_has_its_own(work_tree: Path) -> None:
    git(work_tree, *COMMIT)
    git(work_tree, "worktree", "add", "-q", "-b", "other", "linked")
    assert (git_branch(work_tree / "linked"), git_branch(work_tree)) == ("other", "feature/größe")


@pytest.mark.parametrize("kind", ["nothing", "folder", "pipe", "pointer to nowhere", "no pointer", "large"])
def test_what_is_no_repository_has_none(tmp_path: Path, kind: str) -> None:
    dot_git = tmp_path / ".git"
    match kind:
        case "folder":
            (dot_git / "HEAD").mkdir(parents=True)
        case "pipe":
            dot_git.mkdir()
            os.mkfifo(dot_git / "HEAD")
        case "pointer to nowhere":
            dot_git.write_bytes(b"gitdir: nowhere\0\n")
        case "no pointer":
            dot_git.write_text("ref: refs/heads/main")
        case "large":
            dot_git.mkdir()
            (dot_git / "HEAD").write_text("ref: refs/heads/" + "x" * 5000)
    assert git_branch(tmp_path) == ""
