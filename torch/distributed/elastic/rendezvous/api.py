"""What a rendezvous is: its parameters, its handler, what it gives, its errors, and the registry of handlers."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from torch.distributed import Store
from torch.distributed.elastic.utils.distributed import get_free_port

__all__ = [
    "RendezvousClosedError", "RendezvousConnectionError", "RendezvousError", "RendezvousGracefulExitError", "RendezvousHandler",
    "RendezvousHandlerCreator", "RendezvousHandlerRegistry", "RendezvousInfo", "RendezvousParameters", "RendezvousStateError",
    "RendezvousStoreInfo", "RendezvousTimeoutError", "rendezvous_handler_registry",
]  # fmt: skip


class RendezvousError(Exception):
    """An error of a rendezvous."""


class RendezvousClosedError(RendezvousError):
    """The job is over: its rendezvous was closed."""


class RendezvousTimeoutError(RendezvousError):
    """Too few machines came in time."""


class RendezvousConnectionError(RendezvousError):
    """The place where machines meet cannot be reached."""


class RendezvousStateError(RendezvousError):
    """What is stored about a rendezvous cannot be read."""


class RendezvousGracefulExitError(RendezvousError):
    """This machine leaves the job, and that is no failure."""


@dataclass
class RendezvousStoreInfo:
    """Where the workers meet.

    Args:
        master_addr (str): an address of the machine of rank 0
        master_port (int): a port there
    """

    MASTER_ADDR_KEY: ClassVar[str] = "MASTER_ADDR"
    MASTER_PORT_KEY: ClassVar[str] = "MASTER_PORT"
    master_addr: str
    master_port: int

    @staticmethod
    def build(rank: int, store: Store, local_addr: str | None, server_port: int | None = None) -> RendezvousStoreInfo:
        """Tells all machines where the workers meet. Rank 0 says it.

        Args:
            rank (int): the rank of this machine
            store (Store): a store that all have
            local_addr (str, optional): the address of this machine; that of its name by default
            server_port (int, optional): the port; a free one by default

        Returns:
            the place
        """
        address, port = RendezvousStoreInfo.MASTER_ADDR_KEY, RendezvousStoreInfo.MASTER_PORT_KEY
        if rank == 0:
            store.set(address, local_addr or socket.getfqdn())
            store.set(port, str(server_port or get_free_port()))
        return RendezvousStoreInfo(store.get(address).decode(), int(store.get(port)))


class RendezvousInfo:
    """What a machine knows after a rendezvous.

    Args:
        store (Store): a store that the machines of this round have
        rank (int): the rank of this machine
        world_size (int): the number of machines
        bootstrap_store_info (RendezvousStoreInfo): where the workers meet
    """

    def __init__(self, store: Store, rank: int, world_size: int, bootstrap_store_info: RendezvousStoreInfo) -> None:
        self._store, self._rank, self._world_size, self._bootstrap = store, rank, world_size, bootstrap_store_info

    @property
    def store(self) -> Store:
        """A store that the machines of this round have."""
        return self._store

    @property
    def rank(self) -> int:
        """The rank of this machine."""
        return self._rank

    @property
    def world_size(self) -> int:
        """The number of machines."""
        return self._world_size

    @property
    def bootstrap_store_info(self) -> RendezvousStoreInfo:
        """Where the workers meet."""
        return self._bootstrap


class RendezvousHandler(ABC):
    """How one machine meets the others. An agent calls `next_rendezvous` in each round of a job."""

    @abstractmethod
    def get_backend(self) -> str:
        """The name of the kind of rendezvous."""

    @property
    def use_agent_store(self) -> bool:
        """Whether workers meet in the store that the rendezvous serves, so that none of them has to serve one."""
        return False

    @abstractmethod
    def next_rendezvous(self) -> RendezvousInfo:
        """Waits for the other machines.

        Returns:
            the rank of this machine, and a store

        Raises:
            RendezvousClosedError: the job is over
            RendezvousTimeoutError: too few machines came
        """

    @abstractmethod
    def is_closed(self) -> bool:
        """Whether the job is over."""

    @abstractmethod
    def set_closed(self) -> None:
        """Says that the job is over."""

    @abstractmethod
    def num_nodes_waiting(self) -> int:
        """How many machines came late, and wait for the next round."""

    @abstractmethod
    def get_run_id(self) -> str:
        """The name of the job."""

    @abstractmethod
    def shutdown(self) -> bool:
        """Frees what the handler holds.

        Returns:
            whether all of it was
        """


class RendezvousParameters:
    """What a handler is made of.

    Args:
        backend (str): the kind of rendezvous
        endpoint (str): where machines meet
        run_id (str): the name of the job
        min_nodes (int): the least number of machines
        max_nodes (int): the greatest number
        local_addr (str, optional): the address of this machine
        **kwargs (Any): settings of the kind

    Raises:
        ValueError: no backend, or numbers of machines that do not fit

    Example:
        >>> from torch.distributed.elastic.rendezvous import RendezvousParameters
        >>> RendezvousParameters("c10d", "localhost:0", "job", 1, 2, timeout="30").get_as_int("timeout")
        30
    """

    def __init__(
        self, backend: str, endpoint: str, run_id: str, min_nodes: int, max_nodes: int, local_addr: str | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if not backend:
            raise ValueError("RendezvousParameters: expected a name as backend, got an empty one")
        if min_nodes < 1:
            raise ValueError(f"RendezvousParameters: expected min_nodes of at least 1, got {min_nodes}")
        if max_nodes < min_nodes:
            raise ValueError(f"RendezvousParameters: expected max_nodes of at least min_nodes, {min_nodes}, got {max_nodes}")
        self.backend, self.endpoint, self.run_id = backend, endpoint, run_id
        self.min_nodes, self.max_nodes, self.config, self.local_addr = min_nodes, max_nodes, kwargs, local_addr

    def get(self, key: str, default: Any = None) -> Any:
        """A setting.

        Args:
            key (str): its name
            default (object, optional): what it is if it is not given

        Returns:
            its value
        """
        return self.config.get(key, default)

    def get_as_bool(self, key: str, default: bool | None = None) -> bool | None:
        """A setting that says yes or no.

        Args:
            key (str): its name
            default (bool, optional): what it is if it is not given

        Returns:
            its value

        Raises:
            ValueError: it says neither
        """
        value = self.get(key, default)
        if value is None or isinstance(value, bool):
            return value
        text = str(value).lower()
        if text in ("1", "true", "t", "yes", "y"):
            return True
        if text in ("0", "false", "f", "no", "n"):
            return False
        raise ValueError(f"RendezvousParameters: expected true or false as {key}, got {value!r}")

    def get_as_int(self, key: str, default: int | None = None) -> int | None:
        """A setting that is an integer.

        Args:
            key (str): its name
            default (int, optional): what it is if it is not given

        Returns:
            its value

        Raises:
            ValueError: it is none
        """
        value = self.get(key, default)
        try:
            return None if value is None else int(value)
        except (ValueError, TypeError):
            raise ValueError(f"RendezvousParameters: expected an integer as {key}, got {value!r}") from None


RendezvousHandlerCreator = Callable[[RendezvousParameters], RendezvousHandler]


class RendezvousHandlerRegistry:
    """Kinds of rendezvous by their names.

    Example:
        >>> from torch.distributed.elastic.rendezvous import rendezvous_handler_registry
        >>> rendezvous_handler_registry.register("mine", lambda parameters: MyHandler(parameters))
    """

    def __init__(self) -> None:
        self._registry: dict[str, RendezvousHandlerCreator] = {}

    def register(self, backend: str, creator: RendezvousHandlerCreator) -> None:
        """Adds a kind.

        Args:
            backend (str): its name
            creator (Callable): takes RendezvousParameters, and makes a handler

        Raises:
            ValueError: no name, or one that is taken
        """
        if not backend:
            raise ValueError("RendezvousHandlerRegistry.register(): expected a name as backend, got an empty one")
        if self._registry.setdefault(backend, creator) is not creator:
            raise ValueError(f"RendezvousHandlerRegistry.register(): {backend!r} is taken by {self._registry[backend]}")

    def create_handler(self, params: RendezvousParameters) -> RendezvousHandler:
        """Makes a handler.

        Args:
            params (RendezvousParameters): of what

        Returns:
            the handler

        Raises:
            ValueError: nobody has registered such a kind
            RuntimeError: the kind made a handler of another one
        """
        if params.backend not in self._registry:
            kinds = ", ".join(sorted(self._registry))
            raise ValueError(f"create_handler(): the rendezvous {params.backend!r} is not registered; there are {kinds}")
        handler = self._registry[params.backend](params)
        if handler.get_backend() != params.backend:
            raise RuntimeError(f"create_handler(): {params.backend!r} made a handler of {handler.get_backend()!r}")
        return handler


rendezvous_handler_registry = RendezvousHandlerRegistry()
