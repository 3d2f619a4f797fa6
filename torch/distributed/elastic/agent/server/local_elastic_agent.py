"""The agent whose workers are processes of this machine."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from typing import Any

from torch.distributed.elastic._workers import Worker as Process
from torch.distributed.elastic._workers import Workers, worker_environment
from torch.distributed.elastic.agent.server.api import RunResult, SimpleElasticAgent, WorkerGroup, WorkerSpec, WorkerState
from torch.distributed.elastic.multiprocessing.api import LogsSpecs
from torch.distributed.elastic.utils import macros
from torch.distributed.launcher._call import command_of_call

__all__ = ["LocalElasticAgent"]


class LocalElasticAgent(SimpleElasticAgent):
    """Runs workers as processes of this machine. A function gets its arguments by pickle, as in `elastic_launch`.

    Args:
        spec (WorkerSpec): what the workers are
        logs_specs (LogsSpecs): where their output goes
        start_method (str, default "spawn"): "spawn" or "forkserver", which is the same here
        exit_barrier_timeout (float, default 300): seconds to wait for other machines at the end
        log_line_prefix_template (str, optional): of no effect
        shutdown_timeout (int, default 30): seconds between a signal and SIGKILL
        health_check_server (object, optional): must be None
        uninterruptible_state_timeout (float, optional): must be None

    Raises:
        NotImplementedError: one of the last two, or start_method="fork" for a function

    Example:
        >>> from torch.distributed.elastic.agent.server import LocalElasticAgent
        >>> LocalElasticAgent.__name__
        'LocalElasticAgent'
    """

    def __init__(
        self, spec: WorkerSpec, logs_specs: LogsSpecs, start_method: str = "spawn", exit_barrier_timeout: float = 300,
        log_line_prefix_template: str | None = None, shutdown_timeout: int = 30, health_check_server: Any = None,
        uninterruptible_state_timeout: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(spec, exit_barrier_timeout, shutdown_timeout)
        if health_check_server is not None or uninterruptible_state_timeout is not None:
            raise NotImplementedError("LocalElasticAgent: this version has no health checks and no timeout of kernel waits")
        if start_method == "fork" and not isinstance(spec.entrypoint, str):
            raise NotImplementedError("LocalElasticAgent: this version starts new processes, start_method='spawn'")
        self._logs_specs = logs_specs
        self._processes = Workers()
        self._attempt = 0
        self._folder: str | None = None

    def _environment(self, group: WorkerGroup, k: int) -> dict[str, str]:
        spec, worker = group.spec, group.workers[k]
        return worker_environment(
            {
                "LOCAL_RANK": 0 if spec.virtual_local_rank else worker.local_rank, "RANK": worker.global_rank,
                "GROUP_RANK": group.group_rank, "ROLE_RANK": worker.role_rank, "ROLE_NAME": spec.role,
                "LOCAL_WORLD_SIZE": spec.local_world_size, "WORLD_SIZE": worker.world_size,
                "GROUP_WORLD_SIZE": group.group_world_size, "ROLE_WORLD_SIZE": worker.role_world_size,
                "MASTER_ADDR": group.master_addr, "MASTER_PORT": group.master_port,
                "TORCHELASTIC_RESTART_COUNT": spec.max_restarts - self._remaining_restarts,
                "TORCHELASTIC_MAX_RESTARTS": spec.max_restarts, "TORCHELASTIC_RUN_ID": spec.rdzv_handler.get_run_id(),
                "TORCHELASTIC_USE_AGENT_STORE": spec.rdzv_handler.use_agent_store, "TORCHELASTIC_ROUND": self._round,
            },
            spec.local_world_size,
        )  # fmt: skip

    def _start_workers(self, worker_group: WorkerGroup) -> dict[int, Any]:
        spec, logs = worker_group.spec, self._logs_specs
        if self._folder is None:
            run_id = spec.rdzv_handler.get_run_id().replace("/", "_")
            if logs.log_dir is not None:
                os.makedirs(logs.log_dir, exist_ok=True)
            self._folder = tempfile.mkdtemp(prefix=f"{run_id}_", dir=logs.log_dir)
        if isinstance(spec.entrypoint, str):
            command = [spec.entrypoint, *map(str, spec.args)]
        else:
            assert spec.entrypoint is not None
            command = command_of_call(os.path.join(self._folder, "call"), spec.entrypoint, tuple(spec.args))
        redirects, tee = logs.options(logs.redirects), logs.options(logs.tee)
        self._processes = Workers()
        for k, worker in enumerate(worker_group.workers):
            folder = os.path.join(self._folder, f"attempt_{self._attempt}", str(k))
            shown = logs.local_ranks_filter is None or k in logs.local_ranks_filter
            environment = self._environment(worker_group, k)
            self._processes.add(
                Process(macros.substitute(command, str(k)), environment, worker.global_rank, k, folder, redirects, tee, spec.role,
                        shown, self._processes.ended)
            )  # fmt: skip
        self._attempt += 1
        return {process.local_rank: process.process.pid for process in self._processes.workers}

    def _stop_workers(self, worker_group: WorkerGroup) -> None:
        self._processes.end(signal.SIGTERM, self._shutdown_timeout)

    def _monitor_workers(self, worker_group: WorkerGroup) -> RunResult:
        done, failed = self._processes.poll()
        if failed:
            failures = self._processes.failures()
            self._stop_workers(worker_group)
            return RunResult(WorkerState.FAILED, failures=failures)
        if done:
            return RunResult(WorkerState.SUCCEEDED, {process.rank: process.result() for process in self._processes.workers})
        return RunResult(WorkerState.HEALTHY)

    def _shutdown(self, death_sig: signal.Signals = signal.SIGTERM, timeout: int = 30) -> None:
        self._processes.end(death_sig, timeout)
        logs = self._logs_specs
        if self._folder is not None and logs.log_dir is None and not (logs.redirects or logs.tee):
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
