"""What an agent knows of its workers: their description, their ranks and their states."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from torch.distributed.elastic.multiprocessing.errors import ProcessFailure
from torch.distributed.elastic.rendezvous.api import RendezvousHandler


@dataclass
class WorkerSpec:
    """What the workers of a machine are.

    Args:
        role (str): a name of what they do
        local_world_size (int): how many there are
        rdzv_handler (RendezvousHandler): how the machines meet
        fn (Callable, optional): the older name of `entrypoint`
        entrypoint (Callable or str, optional): a function of a module, or a program
        args (tuple, optional): its arguments
        max_restarts (int, default 3): how often workers are started again after a failure
        monitor_interval (float, default 0.1): seconds between looks at them
        master_port (int, optional): where workers meet; what the rendezvous says by default
        master_addr (str, optional): where workers meet; what the rendezvous says by default
        local_addr (str, optional): the address of this machine
        event_log_handler (str, default "null"): the handler of events
        numa_options (object, optional): of no effect
        duplicate_stdout_filters (list, optional): of no effect
        duplicate_stderr_filters (list, optional): of no effect
        virtual_local_rank (bool, default False): all workers have LOCAL_RANK=0

    Raises:
        ValueError: no workers, no time between looks, or no entrypoint
    """

    role: str
    local_world_size: int
    rdzv_handler: RendezvousHandler
    fn: Callable[..., Any] | None = None
    entrypoint: Callable[..., Any] | str | None = None
    args: tuple[Any, ...] = ()
    # How they are watched
    max_restarts: int = 3
    monitor_interval: float = 0.1
    # Where they meet
    master_port: int | None = None
    master_addr: str | None = None
    local_addr: str | None = None
    # What is told, and what has no effect
    event_log_handler: str = "null"
    numa_options: Any = None
    duplicate_stdout_filters: list[str] | None = None
    duplicate_stderr_filters: list[str] | None = None
    virtual_local_rank: bool = False

    def __post_init__(self) -> None:
        if self.local_world_size < 1:
            raise ValueError(f"WorkerSpec: expected a local_world_size of at least 1, got {self.local_world_size}")
        if self.monitor_interval <= 0:
            raise ValueError(f"WorkerSpec: expected a monitor_interval above 0, got {self.monitor_interval}")
        self.entrypoint = self.entrypoint or self.fn
        if not self.entrypoint:
            raise ValueError("WorkerSpec: expected a function or a program as entrypoint")

    def get_entrypoint_name(self) -> str:
        """The name of the function or the program."""
        if isinstance(self.entrypoint, str):
            return os.path.basename(self.entrypoint)
        return getattr(self.entrypoint, "__qualname__", type(self.entrypoint).__name__)


@dataclass
class Worker:
    """A worker and its ranks.

    Args:
        local_rank (int): its rank on the machine
        global_rank (int, default -1): its rank among all workers
        role_rank (int, default -1): its rank among those with its role
        world_size (int, default -1): how many workers there are
        role_world_size (int, default -1): how many have its role
    """

    local_rank: int
    global_rank: int = -1
    role_rank: int = -1
    world_size: int = -1
    role_world_size: int = -1
    id: Any = field(default=None, init=False)  # of its process


class WorkerState(str, Enum):
    """The state of a group of workers: what it is doing, or how it has ended."""

    UNKNOWN = "UNKNOWN"
    INIT = "INIT"
    HEALTHY = "HEALTHY"
    UNHEALTHY = "UNHEALTHY"
    STOPPED = "STOPPED"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"

    @staticmethod
    def is_running(state: WorkerState) -> bool:
        """Whether there are processes.

        Args:
            state (WorkerState): the state
        """
        return state in (WorkerState.HEALTHY, WorkerState.UNHEALTHY)


class WorkerGroup:
    """The workers of a machine in a round.

    Args:
        spec (WorkerSpec): what they are
    """

    def __init__(self, spec: WorkerSpec) -> None:
        self.spec = spec
        self.workers = [Worker(k) for k in range(spec.local_world_size)]
        self.store: Any = None
        self.group_rank: int | None = None
        self.group_world_size: int | None = None
        self.master_addr: str | None = None
        self.master_port: int | None = None
        self.state = WorkerState.INIT


@dataclass
class RunResult:
    """How workers are, or have ended.

    Args:
        state (WorkerState): the state
        return_values (dict): what functions have returned, by rank
        failures (dict): failures, by rank
    """

    state: WorkerState
    return_values: dict[int, Any] = field(default_factory=dict)
    failures: dict[int, ProcessFailure] = field(default_factory=dict)

    def is_failed(self) -> bool:
        """Whether workers have failed."""
        return self.state is WorkerState.FAILED
