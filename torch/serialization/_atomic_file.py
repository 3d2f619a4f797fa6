"""Writing a file so that its path holds the old content or the new one, and nothing between.

The new content goes into a file without a name beside the old one (or, where the file system has no such files,
with a name of its own), is synced, and takes the old one's place by a rename. A process that maps the old file keeps
it, and a process that is killed leaves it as it was."""

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import tempfile

_NO_UNNAMED_FILES = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_OPEN_FILES = ("/dev/", "/proc/")  # /dev/stdout, for example: names of open files
_NO_REPLACING = (errno.EBUSY, errno.EXDEV)  # the path is itself a mount point


class Complete:
    """A file object whose writes are complete: after a short write, it writes the rest."""

    def __init__(self, file):
        self.file = file
        if hasattr(file, "tell"):
            self.tell = file.tell

    def write(self, data):
        written = self.file.write(data)
        size = memoryview(data).nbytes
        if written is None and isinstance(self.file, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "torch.save: the file is not ready to take more bytes", 0)
        if type(written) is not int or written >= size:
            return size
        rest = memoryview(data).cast("B")
        while True:
            if written <= 0:
                raise OSError(errno.EIO, f"torch.save: a write of {len(rest)} bytes to {self.file!r} wrote none of them")
            rest = rest[written:]
            if not rest:
                return size
            written = self.file.write(rest) or 0


@contextlib.contextmanager
def replacing(path):
    """A file to write, which becomes the file at `path` when the block ends without an exception.

    Devices, FIFOs and sockets are written as they are; of a symbolic link, the file it leads to is replaced. Mode,
    owner and extended attributes stay those of the old file."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode) or os.path.abspath(path).startswith(_OPEN_FILES):
        with _streamed(path) as file:
            yield file
        return
    target = os.path.realpath(path)
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    try:
        handle, name = _new_file_beside(target)
    except PermissionError:
        if old is None:
            raise
        with _streamed(target) as file:  # the file may be changed, but not its folder
            yield file
        return
    try:
        with open(handle, "w+b") as file:
            yield file
            file.flush()
            if old is not None:
                _keep_attributes(handle, target, old)
            os.fsync(handle)
            name = name or _named(handle, target)
            try:
                os.replace(name, target)
                name = None
            except OSError as problem:
                if problem.errno not in _NO_REPLACING:
                    raise
                _copy(file, target)
        _sync_folder(target)
    finally:
        if name is not None:
            os.unlink(name)


def _temporary_name(target):
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:200]}.{secrets.token_hex(4)}.tmp")


def _new_file_beside(target):
    """(handle, name); the name is None for a file that has none yet."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.open(os.path.dirname(target), os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666), None
        except OSError as problem:
            if problem.errno not in _NO_UNNAMED_FILES:
                raise
    name = _temporary_name(target)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o666), name


def _named(handle, target):
    """Give a name to a file without one."""
    name = _temporary_name(target)
    # With src_dir_fd, which an absolute path ignores, os.link follows the symbolic link in /proc.
    os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)
    return name


def _keep_attributes(handle, target, old):
    with contextlib.suppress(OSError):
        os.fchown(handle, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(target):
            os.setxattr(handle, attribute, os.getxattr(target, attribute))
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _sync_folder(target):
    with contextlib.suppress(OSError):
        folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _copy(file, target):
    file.seek(0)
    with open(target, "wb") as out:
        shutil.copyfileobj(file, out, 1 << 20)


@contextlib.contextmanager
def _streamed(target):
    """A file that is copied to `target` at the end, because `target` may not seek or may itself be part of what is saved."""
    with open(target, "ab") as out, tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        if out.seekable() and stat.S_ISREG(os.fstat(out.fileno()).st_mode):
            out.truncate(0)
        shutil.copyfileobj(file, out, 1 << 20)
