"""A lock between processes that is a file."""

from __future__ import annotations

import os
import time


class FileBaton:
    """The process that creates the file holds the lock until it releases it.

    Args:
        lock_file_path (str): the file
        wait_seconds (float, default 0.1): how often `wait` looks
        warn_after_seconds (float, optional): when `wait` warns that it still waits

    Example:
        >>> import os, tempfile
        >>> from torch.utils.file_baton import FileBaton
        >>> baton = FileBaton(os.path.join(tempfile.mkdtemp(), "lock"))
        >>> baton.try_acquire(), baton.try_acquire()
        (True, False)
        >>> baton.release()
    """

    def __init__(
        self, lock_file_path: str, wait_seconds: float = 0.1, warn_after_seconds: float | None = None
    ) -> None:  # fmt: skip
        self.lock_file_path, self.wait_seconds, self.warn_after_seconds = lock_file_path, wait_seconds, warn_after_seconds
        self.fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Wait until the lock is free, without taking it."""
        begin, warned = time.monotonic(), False
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            late = self.warn_after_seconds is not None and time.monotonic() - begin > self.warn_after_seconds
            if late and not warned:
                import warnings

                warned = True
                warnings.warn(f"FileBaton: still waiting for {self.lock_file_path}", stacklevel=2)

    def release(self) -> None:
        """Give the lock back."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        os.remove(self.lock_file_path)
