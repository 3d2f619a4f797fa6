"""Starts a function or a program in several processes, as torchrun does, and gives what each returned."""

from __future__ import annotations

import os
import signal
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch.distributed import is_available
from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, LogsSpecs
from torch.distributed.launcher._by_handler import launch_with_handler
from torch.distributed.launcher._call import command_of_call

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]

_JOIN_TIMEOUT, _LAST_CALL = 600.0, 30.0  # seconds


@dataclass
class LaunchConfig:
    """What torchrun's options say.

    Args:
        min_nodes (int): the least number of machines
        max_nodes (int): the greatest number
        nproc_per_node (int): processes on this machine
        logs_specs (LogsSpecs, optional): where their output goes; to the console by default
        run_id (str): a name of the job
        role (str): a name of the processes
        rdzv_endpoint (str): HOST:PORT where machines meet
        rdzv_backend (str): "c10d", "static" with the rank of this machine in `rdzv_configs`, or one that is registered in
            `torch.distributed.elastic.rendezvous.rendezvous_handler_registry`
        rdzv_configs (dict): "rank", "timeout", "last_call_timeout", "is_host"
        rdzv_timeout (int, default -1): seconds to wait for other machines, if it is not negative
        max_restarts (int, default 3): how often the processes are started again after a failure
        monitor_interval (float, default 0.1): seconds between looks at them
        start_method (str, default "spawn"): "spawn" or "forkserver", which is the same here
        log_line_prefix_template (str, optional): of no effect
        metrics_cfg (dict): of no effect
        local_addr (str, optional): the address of this machine, for a registered rendezvous
        event_log_handler (str): the handler of events
        numa_options (object, optional): of no effect
        signals_to_handle (str): signals that are passed on
        duplicate_stdout_filters (list, optional): of no effect
        duplicate_stderr_filters (list, optional): of no effect
        virtual_local_rank (bool, default False): of no effect
        shutdown_timeout (int, optional): seconds between a signal and SIGKILL; 30 by default

    Example:
        >>> torch.distributed.launcher.LaunchConfig(1, 1, 2, rdzv_backend="c10d").max_restarts
        3
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    logs_specs: LogsSpecs | None = None
    # Names
    run_id: str = ""
    role: str = "default_role"
    # How machines meet
    rdzv_endpoint: str = ""
    rdzv_backend: str = "etcd"
    rdzv_configs: dict[str, Any] = field(default_factory=dict)
    rdzv_timeout: int = -1
    # How processes start, and start again
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    # Taken for compatibility, but for signals_to_handle
    log_line_prefix_template: str | None = None
    metrics_cfg: dict[str, str] = field(default_factory=dict)
    local_addr: str | None = None
    event_log_handler: str = "null"
    numa_options: Any = None  # memory of one's own processor
    signals_to_handle: str = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
    duplicate_stdout_filters: list[str] | None = None
    duplicate_stderr_filters: list[str] | None = None
    virtual_local_rank: bool = False
    # How processes end
    shutdown_timeout: int | None = None

    def __post_init__(self) -> None:
        if self.rdzv_timeout >= 0:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        if self.logs_specs is None:
            self.logs_specs = DefaultLogsSpecs()


class elastic_launch:  # noqa: N801  (PyTorch's name)
    """Runs a function or a program in several processes.

    Args:
        config (LaunchConfig): how
        entrypoint (Callable or str): a function of a module, or a program
        health_check_server (object, optional): not supported

    Example:
        >>> torch.distributed.launcher.elastic_launch.__name__
        'elastic_launch'
    """

    def __init__(
        self, config: LaunchConfig, entrypoint: Callable[..., Any] | str | None, health_check_server: Any = None
    ) -> None:
        self._config, self._entrypoint, self._health_check_server = config, entrypoint, health_check_server

    def __call__(self, *args: Any) -> dict[int, Any]:
        """Runs it with arguments; see `launch_agent`."""
        return launch_agent(self._config, self._entrypoint, list(args), self._health_check_server)


def _meeting(config: LaunchConfig, run_id: str) -> Any:
    from torch.distributed.elastic._meeting import Meeting
    from torch.distributed.run import _C10D_PORT, _DEFAULT_PORT, _endpoint

    conf, low, high = config.rdzv_configs, config.min_nodes, config.max_nodes
    node_rank: int | None = None
    serves: bool | None = None
    if config.rdzv_backend == "static":
        if low != high:
            raise ValueError("elastic_launch: a range of machines needs rdzv_backend='c10d'")
        host, port = _endpoint(config.rdzv_endpoint, _DEFAULT_PORT)
        node_rank = int(conf.get("rank", 0))
        serves = node_rank == 0
    else:
        host, port = _endpoint(config.rdzv_endpoint, _C10D_PORT)
        if port == 0:
            if high > 1:
                raise ValueError(f"elastic_launch: {high} machines cannot meet at port 0; give rdzv_endpoint another one")
            serves = True
    if "is_host" in conf:
        serves = str(conf["is_host"]).lower() in ("1", "true", "yes")
    timeout = float(conf.get("join_timeout", conf.get("timeout", _JOIN_TIMEOUT)))
    return Meeting(host, port, run_id, low, high, serves, timeout, float(conf.get("last_call_timeout", _LAST_CALL)), node_rank)


def launch_agent(
    config: LaunchConfig, entrypoint: Callable[..., Any] | str | None, args: list[Any], health_check_server: Any = None
) -> dict[int, Any]:  # fmt: skip
    """Runs a function or a program in several processes, and waits for their end.

    A function and its arguments are pickled, and the processes import the main module: let it begin with
    `if __name__ == "__main__":`. They get their ranks by environment variables, which `init_process_group` reads.

    Args:
        config (LaunchConfig): how
        entrypoint (Callable or str): the function, or a program
        args (list): its arguments
        health_check_server (object, optional): not supported

    Returns:
        what the function returned, by the ranks of the processes on this machine; None for programs

    Raises:
        ChildFailedError: a process failed more often than config.max_restarts
        ValueError: settings of the meeting, or a rendezvous that is not registered
        NotImplementedError: start_method is "fork"

    Example:
        >>> torch.distributed.launcher.api.launch_agent.__name__
        'launch_agent'
    """
    if not is_available():
        raise RuntimeError("elastic_launch: this build of torch works in one process; torch.distributed.is_available() is False")
    if health_check_server is not None:
        raise NotImplementedError("elastic_launch: this version has no health checks")
    if config.start_method == "fork" and not isinstance(entrypoint, str):
        raise NotImplementedError("elastic_launch: this version starts new processes, start_method='spawn'")
    if config.rdzv_backend not in ("static", "c10d"):
        return launch_with_handler(config, entrypoint, args)
    from torch.distributed.elastic._agent import Job, run_job

    logs = config.logs_specs or DefaultLogsSpecs()
    run_id = config.run_id or str(uuid.uuid4())
    shutdown = config.shutdown_timeout
    if shutdown is None:
        shutdown = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", 30))
    signals: list[int] = [signal.Signals[name.strip()] for name in config.signals_to_handle.split(",") if name.strip()]
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(entrypoint, str):
            command, name = [entrypoint, *map(str, args)], entrypoint
        else:
            assert entrypoint is not None
            name = getattr(entrypoint, "__qualname__", "function")
            command = command_of_call(os.path.join(folder, "call"), entrypoint, tuple(args))
        job = Job(
            command, name, config.nproc_per_node, run_id.replace("/", "_"), config.max_restarts, config.monitor_interval,
            config.role, logs.log_dir, logs.options(logs.redirects), logs.options(logs.tee),
            None if logs.local_ranks_filter is None else sorted(logs.local_ranks_filter), shutdown, signals,
            config.event_log_handler,
        )  # fmt: skip
        return run_job(job, _meeting(config, run_id))
