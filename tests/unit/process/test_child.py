"""Child where the kernel gives no pidfd: a thread waits instead."""

import os
import resource
import subprocess

import pytest

from agent.process.child import Child


@pytest.mark.parametrize(("script", "code"), [("exit 5", 5), ("kill -KILL $$", 137)])
async def test_the_exit_is_seen_without_a_pidfd(script: str, code: int) -> None:
    process = subprocess.Popen(["sh", "-c", script], start_new_session=True)  # noqa: ASYNC220 - what is tested takes one
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))  # no descriptor is left for a pidfd
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.dup(0)
        child = Child(process)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert await child.ended == code
