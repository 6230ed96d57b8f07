"""Where the work happens: folder, platform, date and git state, told to the model as context."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.permissions.git_repository import starts_nothing
from agent.process.runner import run_process
from agent.prompts.reminder import reminder
from agent.protocol.clock import Clock
from agent.protocol.errors import FilesError

GIT_SECONDS = 5.0  # a large work tree on a slow disk; the first prompt waits for it
CONTEXT = "Context for this conversation, collected by ccagent when it began. It is not a request; do not answer it."
MAX_CHANGES = 20  # lines of `git status` that the model sees

# A repository must not run programs of its own through our calls; optional locks would disturb the person's git.
_GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null")


class GitState(Struct, frozen=True):
    """A work tree: its branch ("" when detached), the first lines of the short status, and how many more there are.

    `unasked` when only the branch was asked for: the status could have started a program that the repository names.
    """

    branch: str
    changes: tuple[str, ...] = ()
    more: int = 0
    unasked: bool = False


class Environment(Struct, frozen=True):
    """What the model is told of its surroundings; `date` is ISO; `git` is None outside a work tree or without git."""

    cwd: str
    platform: str
    date: str
    git: GitState | None = None


async def collect_environment(cwd: Path, clock: Clock, env: Mapping[str, str]) -> Environment:
    """The surroundings of `cwd` (absolute) now, in local time; never fails for what git does."""
    return Environment(
        cwd=str(cwd),
        platform=sys.platform,
        date=today(clock),
        git=await _git_state(cwd, env),
    )


def today(clock: Clock) -> str:
    """The date (ISO) in local time."""
    return clock.now().astimezone().date().isoformat()


def environment_text(environment: Environment) -> str:
    """The surroundings in a few lines."""
    lines = [
        f"Working directory: {environment.cwd}",
        f"Platform: {environment.platform}",
        f"Date: {environment.date}",
        *_git_lines(environment.git),
    ]
    return "\n".join(lines)


def context_message(environment_text: str, memory_text: str) -> str:
    """The first user-side message: both texts, marked as context and not as a request.

    The texts hold names and files of the project; a tag in them cannot end the mark early.
    """
    parts = [
        CONTEXT,
        environment_text,
        memory_text,
    ]
    return reminder("\n\n".join(part.strip() for part in parts if part.strip()))


async def _git_state(cwd: Path, env: Mapping[str, str]) -> GitState | None:
    sure = await asyncio.to_thread(starts_nothing, cwd, submodules=False)
    asked = (
        ("status", "--porcelain", "--branch", "--ignore-submodules")
        if sure
        else ("symbolic-ref", "-q", "--short", "HEAD")
    )
    argv = (*_GIT, *asked)
    try:
        finished = await run_process(argv, cwd=cwd, env=env, timeout=GIT_SECONDS)
    except FilesError:
        return None
    if not sure and finished.exit_code in (0, 1):  # 1: no branch, a detached HEAD
        return GitState(finished.stdout.strip(), unasked=True)
    if finished.exit_code != 0 or finished.timed_out:
        return None
    head, *changes = finished.stdout.splitlines() or ["## "]
    return GitState(_branch(head), tuple(changes[:MAX_CHANGES]), max(0, len(changes) - MAX_CHANGES))


def _branch(head: str) -> str:
    name = head.removeprefix("## ").removeprefix("No commits yet on ").split("...")[0]
    return "" if name.startswith("HEAD (") else name.split(" ")[0]


def _git_lines(git: GitState | None) -> list[str]:
    if git is None:
        return ["Git: no work tree"]
    if git.unasked:
        return [
            f"Git branch: {git.branch}",
            "Git status: not asked, because this repository's git config may start programs",
        ]
    lines = [f"Git branch: {git.branch or '(detached)'}", "Git status:" if git.changes else "Git status: clean"]
    lines.extend(git.changes)
    if git.more:
        lines.append(f"... and {git.more} more")
    return lines
