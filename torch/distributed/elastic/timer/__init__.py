"""Timers: a program says by when a block must be left, and a server kills the process that stays in it.

timer.configure(timer.LocalTimerClient(queue))      in the worker; timer.LocalTimerServer(queue) runs in the process that made it
with timer.expires(after=60):
    step()
"""

from torch.distributed.elastic.timer.api import TimerClient, TimerRequest, TimerServer, configure, expires
from torch.distributed.elastic.timer.file_based_local_timer import FileTimerClient, FileTimerRequest, FileTimerServer
from torch.distributed.elastic.timer.local_timer import LocalTimerClient, LocalTimerServer

__all__ = [
    "FileTimerClient", "FileTimerRequest", "FileTimerServer", "LocalTimerClient", "LocalTimerServer", "TimerClient",
    "TimerRequest", "TimerServer", "configure", "expires",
]  # fmt: skip
