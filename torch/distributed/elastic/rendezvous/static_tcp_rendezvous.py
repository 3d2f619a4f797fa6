"""The rendezvous of machines whose ranks are given."""

from __future__ import annotations

import datetime
from typing import Any

from torch.distributed import PrefixStore, Store, TCPStore
from torch.distributed.elastic.rendezvous.api import (
    RendezvousHandler,
    RendezvousInfo,
    RendezvousParameters,
    RendezvousStoreInfo,
)
from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint

__all__ = ["StaticTCPRendezvous", "create_rdzv_handler"]

_TIMEOUT = 600  # seconds


class StaticTCPRendezvous(RendezvousHandler):
    """All machines know their ranks; that of rank 0 serves the store.

    Args:
        master_addr (str): the machine of rank 0
        master_port (int): a port there; 0 takes a free one, on one machine
        rank (int): the rank of this machine
        world_size (int): the number of machines
        run_id (str): the name of the job
        timeout (int): seconds
    """

    def __init__(self, master_addr: str, master_port: int, rank: int, world_size: int, run_id: str, timeout: int) -> None:
        self.master_addr, self.master_port = master_addr, master_port
        self.rank, self.world_size, self.run_id = rank, world_size, run_id
        self.timeout = datetime.timedelta(seconds=timeout)
        self._store: Store | None = None
        self._round = 0

    def get_backend(self) -> str:
        """ "static"."""
        return "static"

    @property
    def use_agent_store(self) -> bool:
        """Workers meet in the store."""
        return True

    def next_rendezvous(self) -> RendezvousInfo:
        """Connects with the store."""
        if self._store is None:
            serves = self.rank == 0
            store = TCPStore(self.master_addr, self.master_port, None, serves, self.timeout, wait_for_workers=False)
            self.master_port, self._store = store.port, store
        self._round += 1
        store = PrefixStore(f"{self.run_id}/round_{self._round}", self._store)
        return RendezvousInfo(store, self.rank, self.world_size, RendezvousStoreInfo(self.master_addr, self.master_port))

    def is_closed(self) -> bool:
        """False: such a job ends with its workers."""
        return False

    def set_closed(self) -> None:
        """Does nothing."""

    def num_nodes_waiting(self) -> int:
        """0: machines do not come late."""
        return 0

    def get_run_id(self) -> str:
        """The name of the job."""
        return self.run_id

    def shutdown(self) -> bool:
        """Nothing is to be done."""
        return True


def create_rdzv_handler(params: RendezvousParameters) -> RendezvousHandler:
    """Makes a handler.

    Args:
        params (RendezvousParameters): endpoint, and `rank` and `timeout` as settings

    Returns:
        the handler

    Raises:
        ValueError: no rank or an impossible one, no endpoint, or a range of machines
    """
    rank: Any = params.get_as_int("rank")
    if rank is None:
        raise ValueError("the rendezvous 'static' needs the rank of this machine, rank= or --node-rank")
    if not params.endpoint:
        raise ValueError("the rendezvous 'static' needs an endpoint, HOST:PORT of the machine of rank 0")
    if params.min_nodes != params.max_nodes:
        raise ValueError(f"the rendezvous 'static' needs one number of machines, got {params.min_nodes} to {params.max_nodes}")
    if not 0 <= rank < params.max_nodes:
        raise ValueError(f"the rendezvous 'static' needs a rank of 0 to {params.max_nodes - 1}, got {rank}")
    host, port = parse_rendezvous_endpoint(params.endpoint, -1)
    if port < 0:
        raise ValueError(f"the rendezvous 'static' needs a port in the endpoint, got {params.endpoint!r}")
    timeout: Any = params.get_as_int("timeout", _TIMEOUT)
    return StaticTCPRendezvous(host, port, rank, params.max_nodes, params.run_id, timeout)
