"""Groups of the processes that mpirun started."""

from __future__ import annotations

import atexit
import datetime
import socket
import sys
from typing import Any

import torch
from torch._C import _distributed_c10d as _c10d
from torch._C import _distributed_mpi as _mpi
from torch._C._distributed_mpi import ProcessGroupMPI

__all__ = ["ProcessGroupMPI", "finalize", "make", "meet"]


def finalize() -> None:
    """Ends MPI when the program ends. After an uncaught exception the other processes end too: they may wait for this one."""
    _mpi.finalize(getattr(sys, "last_type", None) is not None)


def make(store: Any, ranks: list[int], timeout: datetime.timedelta) -> ProcessGroupMPI:
    """The backend of a group of these processes, counted over all."""
    return ProcessGroupMPI(store, ranks, timeout)


def meet(timeout: datetime.timedelta) -> tuple[Any, int, int]:
    """Starts MPI. A store that the first process serves, the rank of this process and the number of all."""
    rank, size = _mpi.world()
    atexit.register(finalize)
    world = ProcessGroupMPI(None, list(range(size)), timeout)
    name = torch.tensor(list(socket.gethostname().encode()[:256].ljust(256, b"\0")), dtype=torch.uint8)
    names = torch.empty(size, 256, dtype=torch.uint8)
    world._allgather_base(names, name).wait()
    host = "localhost" if bool((names == names[0]).all()) else bytes(names[0].tolist()).rstrip(b"\0").decode()
    store = _c10d.TCPStore(host, 0, None, True, timeout) if rank == 0 else None
    port = torch.tensor([store.port if store else 0])
    world.broadcast([port]).wait()
    world.shutdown()
    return store or _c10d.TCPStore(host, int(port), None, False, timeout), rank, size
