"""The "file_system" strategy: shared memory that the receiver opens by name, /proc/<pid>/fd/<number> of the sender.

No file has a name of its own, so nothing is left behind when processes are killed. The sender holds a descriptor for
every message until the receiver acknowledges it through a pipe that it opens in the same way."""

import os
import struct
import threading

_TICKET = struct.Struct("=q")
_lock = threading.Lock()
_held = {}  # ticket -> descriptor, for messages in transit
_acknowledged = None  # (read end, write end) of the pipe
_next_ticket = 0


def _identity(fd):
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def _let_go(tickets):
    with _lock:
        done = [_held.pop(ticket) for ticket in tickets if ticket in _held]
    for fd in done:
        os.close(fd)


def _listen(read_end):
    while data := os.read(read_end, 512 * _TICKET.size):  # whole tickets: writes this short to a pipe are atomic
        _let_go(ticket for (ticket,) in _TICKET.iter_unpack(data))


def _hold(fd):
    """(ticket, the held descriptor, the pipe's write end)"""
    global _acknowledged, _next_ticket
    with _lock:
        if _acknowledged is None:
            _acknowledged = os.pipe()
            threading.Thread(target=_listen, args=_acknowledged[:1], name="torch shared memory", daemon=True).start()
        _next_ticket += 1
        held = _held[_next_ticket] = os.dup(fd)
        return _next_ticket, held, _acknowledged[1]


def _forget_after_fork():
    """In a forked child: the messages belong to the parent, whose thread does not exist here."""
    global _lock, _held, _acknowledged
    for fd in (*_held.values(), *(_acknowledged or ())):
        os.close(fd)
    _lock, _held, _acknowledged = threading.Lock(), {}, None


os.register_at_fork(after_in_child=_forget_after_fork)


class Handle:
    """The pickled form of a descriptor."""

    def __init__(self, fd):
        ticket, held, pipe = _hold(fd)
        self.parts = os.getpid(), ticket, held, _identity(held), pipe, _identity(pipe)

    def open(self):
        """A descriptor of the memory, which the caller must close."""
        owner, ticket, held, identity, pipe, pipe_identity = self.parts
        fd = self._opened(owner, held, identity, os.O_RDWR)
        try:
            acknowledge = self._opened(owner, pipe, pipe_identity, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return fd  # the owner is gone by now
        try:
            os.write(acknowledge, _TICKET.pack(ticket))
        except OSError:
            pass
        finally:
            os.close(acknowledge)
        return fd

    @staticmethod
    def _opened(owner, number, identity, flags):
        path = f"/proc/{owner}/fd/{number}"
        try:
            fd = os.open(path, flags | os.O_CLOEXEC)
        except OSError as problem:
            raise ConnectionError(
                f"the process {owner} that sent this tensor cannot be reached ({problem}): it must live, "
                "and keep its descriptors, until its tensors are received"
            ) from None
        if _identity(fd) != identity:
            os.close(fd)
            raise ConnectionError(
                f"the tensor from process {owner} is gone: it was received before, or that process has "
                "ended and another has its number"
            )
        return fd
