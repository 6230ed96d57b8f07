"""Files replaced as a whole: a reader, a crash or a full disk finds the old bytes or the new ones."""

import errno
import os
import secrets
import stat
from pathlib import Path

from agent.files.regular import NotRegular, kind_of
from agent.protocol.errors import FilesError

_TMPFILE = getattr(os, "O_TMPFILE", 0)  # Linux: a file without a name, so that a killed process leaves nothing behind
_NO_TMPFILE = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL}


def write_atomic(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` at `path`, through symlinks, keeping the mode bits and owner of a file that is there.

    `mode` (permission bits) is for a new file, or changes an old one; without it a new file follows the umask. The folder must exist.
    A file with several hard links is replaced, so the other names keep the old bytes. Raises FilesError; the old content is then untouched.
    """
    try:
        target = path.resolve()
        _replace(target, data, _bits(target, mode), _standing(target))
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symlinks (Python 3.11, 3.12)
        raise files_error(f"Could not write {path}", error) from error


def files_error(what: str, error: OSError | RuntimeError) -> FilesError:
    """The FilesError for `error`, in a person's words; `what` says what could not be done, without a full stop."""
    code = (error.errno or 0) if isinstance(error, OSError) else errno.ELOOP
    if code in (errno.ENOSPC, errno.EDQUOT):
        do = "Free some disk space and try again."
    elif code in (errno.EACCES, errno.EPERM, errno.EROFS):
        do = "Check the permissions of the file and its folder."
    else:
        do = ""
    reason = (error.strerror if isinstance(error, OSError) else os.strerror(code)) or str(error)
    return FilesError(f"{what}: {reason}.", safe="What was there is untouched.", do=do)


def _standing(target: Path) -> os.stat_result | None:
    """What stands at `target` now; refuses what is not a file or may not be written."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular(errno.EINVAL, f"not a file but {kind_of(found.st_mode)}")
    if not os.access(target, os.W_OK):  # replacing would get round a read-only file
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _bits(target: Path, mode: int | None) -> int | None:
    if mode is not None:
        return mode
    try:
        return stat.S_IMODE(target.lstat().st_mode)
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, bits: int | None, standing: os.stat_result | None) -> None:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    private = 0o666 if bits is None else 0o600
    fd, named = _open_temporary(temporary, private)
    try:
        _fill(fd, data, bits, standing)
        if not named:
            # linkat, not link: only it follows the /proc symlink to the nameless file
            os.link(f"/proc/self/fd/{fd}", temporary, src_dir_fd=fd, follow_symlinks=True)
            named = True
        temporary.replace(target)
    except BaseException:
        if named:
            temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    _sync_folder(target.parent)


def _open_temporary(temporary: Path, mode: int) -> tuple[int, bool]:
    """A file to fill, and whether it already has the name `temporary`."""
    if _TMPFILE and os.path.exists("/proc/self/fd"):
        try:
            return os.open(temporary.parent, _TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode), False
        except OSError as error:
            if error.errno not in _NO_TMPFILE:
                raise
    return os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode), True


def _fill(fd: int, data: bytes, bits: int | None, standing: os.stat_result | None) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    if standing is not None:
        ours = os.fstat(fd)
        if (ours.st_uid, ours.st_gid) != (standing.st_uid, standing.st_gid):
            _give(fd, standing.st_uid, standing.st_gid)
    if bits is not None:
        os.fchmod(fd, bits)  # after the owner: chown clears the set-id bits
    os.fsync(fd)


def _give(fd: int, uid: int, gid: int) -> None:
    try:
        os.fchown(fd, uid, gid)
    except PermissionError:
        return  # a colleague's file that we may write but not own: it becomes ours


def _sync_folder(folder: Path) -> None:
    """Make the new name durable; a file system that cannot is no reason to fail a write that happened."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        return
    finally:
        os.close(fd)
