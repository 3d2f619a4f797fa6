"""Which output of workers goes to files, and to the console too."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from enum import IntFlag

__all__ = ["DefaultLogsSpecs", "LogsSpecs", "SignalException", "Std", "to_map"]


class Std(IntFlag):
    """Streams of a worker.

    Example:
        >>> from torch.distributed.elastic.multiprocessing import Std
        >>> Std.from_str("3") == Std.ALL, Std.from_str("0:1")
        (True, {0: <Std.OUT: 1>})
    """

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR

    @classmethod
    def from_str(cls, vm: str) -> Std | dict[int, Std]:
        """The streams that an option of torchrun names.

        Args:
            vm (str): a number, or numbers by local rank, as in "0:1,1:3"

        Returns:
            the streams, or a dictionary of them

        Raises:
            ValueError: it is neither
        """
        try:
            if ":" not in vm:
                return cls(int(vm))
            return {int(rank): cls(int(value)) for rank, value in (pair.split(":") for pair in vm.split(","))}
        except ValueError:
            raise ValueError(f"Std.from_str(): expected 0 to 3, or such by rank as in 0:1,1:3, got {vm!r}") from None


def to_map(val_or_map: Std | dict[int, Std], local_world_size: int) -> dict[int, Std]:
    """The streams of each worker.

    Args:
        val_or_map (Std or dict): of all workers, or of some by local rank
        local_world_size (int): how many workers there are

    Returns:
        a dictionary; workers that `val_or_map` does not have, have Std.NONE

    Example:
        >>> from torch.distributed.elastic.multiprocessing import Std, to_map
        >>> to_map({1: Std.OUT}, 2)
        {0: <Std.NONE: 0>, 1: <Std.OUT: 1>}
    """
    given = dict.fromkeys(range(local_world_size), val_or_map) if isinstance(val_or_map, Std) else val_or_map
    return {rank: given.get(rank, Std.NONE) for rank in range(local_world_size)}


class SignalException(Exception):
    """A signal came to an agent, which ends its workers by the same one.

    Args:
        msg (str): what happened
        sigval (Signals): the signal

    Example:
        >>> import signal
        >>> from torch.distributed.elastic.multiprocessing import SignalException
        >>> SignalException("ended", signal.SIGTERM).sigval.name
        'SIGTERM'
    """

    def __init__(self, msg: str, sigval: signal.Signals) -> None:
        super().__init__(msg)
        self.sigval = sigval


@dataclass
class LogsSpecs:
    """Where the output of workers goes.

    Args:
        log_dir (str, optional): a folder for the files
        redirects (Std or dict): streams that go to files, of all workers or by local rank
        tee (Std or dict): streams that go to files and the console
        local_ranks_filter (set of int, optional): the workers whose output the console shows; all by default

    Example:
        >>> from torch.distributed.elastic.multiprocessing import LogsSpecs, Std
        >>> LogsSpecs(tee=Std.OUT).options(Std.OUT)
        '1'
    """

    log_dir: str | None = None
    redirects: Std | dict[int, Std] = Std.NONE
    tee: Std | dict[int, Std] = Std.NONE
    local_ranks_filter: set[int] | None = None

    @property
    def root_log_dir(self) -> str | None:
        """The folder for the files."""
        return self.log_dir

    @staticmethod
    def options(streams: Std | dict[int, Std]) -> str:
        """Streams as torchrun's options name them.

        Args:
            streams (Std or dict): of all workers or by local rank

        Returns:
            what `Std.from_str` reads
        """
        if isinstance(streams, dict):
            return ",".join(f"{rank}:{int(value)}" for rank, value in streams.items()) or "0"
        return str(int(streams))


class DefaultLogsSpecs(LogsSpecs):
    """What torchrun uses.

    Example:
        >>> from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs
        >>> DefaultLogsSpecs(log_dir="logs").root_log_dir
        'logs'
    """
