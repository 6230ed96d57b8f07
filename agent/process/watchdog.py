"""A tiny shell that outlives us by a moment: when our end of its pipe closes, however we died, it kills the process groups we left."""

import atexit
import contextlib
import os
import subprocess

# Linux has PR_SET_PDEATHSIG, but it spares grandchildren, fires when the *thread* that forked ends, and needs code between fork and exec.
_SCRIPT = """
trap '' HUP INT TERM
groups=
while read -r verb group; do
  case $verb in
    guard) groups="$groups $group" ;;
    release)
      left=
      for known in $groups; do [ "$known" = "$group" ] || left="$left $known"; done
      groups=$left ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
"""


_LAST = 1.0  # seconds for the shell to do its work, while we are still there


class Watchdog:
    """Knows the process groups of this process's children; a dead group is let go of, lest its number be used again by a stranger."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._pipe: int | None = None
        self._shell: subprocess.Popen[bytes] | None = None
        self._drains: list[subprocess.Popen[bytes]] = []

    def prepare(self) -> None:
        """Be there before a child is: from its start to `guard` then passes no more than one write."""
        if self._pipe is None:
            self._start()

    def guard(self, group: int) -> None:
        """Kill `group` when this process ends, unless it is released before."""
        self._groups.add(group)
        self._tell("guard", group)
        self.sweep()

    def drain(self, reader: int) -> None:
        """Take over the read end of a pipe whose writers live on, and throw away what comes: else they block, or die of SIGPIPE."""
        os.set_blocking(reader, True)
        with contextlib.suppress(OSError):
            drain = subprocess.Popen(
                ["/bin/cat"],
                stdin=reader,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
            self._drains.append(drain)
            self.guard(drain.pid)
        os.close(reader)

    def close(self) -> None:
        """An orderly end of this process: what is guarded ends now, and the shell with it."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None and self._shell is not None:
            os.close(pipe)
            for process in (self._shell, *self._drains):
                # A fork of ours may hold the pipe: the shell waits for that too.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LAST)

    def sweep(self) -> None:
        """Release the groups that have no member left."""
        self._drains = [drain for drain in self._drains if drain.poll() is None]
        for group in [g for g in self._groups if not group_alive(g)]:
            self._groups.discard(group)
            self._tell("release", group)

    def _tell(self, verb: str, group: int) -> None:
        if self._pipe is None:
            self._start()
        try:
            self._send(verb, group)
        except BrokenPipeError:  # somebody killed the shell: start another and tell it all we know
            self._start()
            for known in self._groups:
                self._send("guard", known)

    def _send(self, verb: str, group: int) -> None:
        if self._pipe is not None:
            os.write(self._pipe, f"{verb} {group}\n".encode())

    def _start(self) -> None:
        """Start the shell; a machine that cannot has no watchdog, which is no reason to refuse the command."""
        if self._pipe is not None:
            os.close(self._pipe)
        if self._shell is None:
            atexit.register(self.close)
        else:
            self._shell.poll()  # it is over
        reader, writer = os.pipe()
        with contextlib.suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=reader,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
        os.close(reader)
        self._pipe = writer if self._shell is not None else None
        if self._pipe is None:
            os.close(writer)


def group_alive(group: int) -> bool:
    """Whether the process group has a member, running or not yet reaped."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
