"""Agents: what one is, and one that runs a group of workers through the rounds of a job."""

from __future__ import annotations

import abc
import json
import logging
import signal
import socket
import time
import uuid
from typing import Any

from torch.distributed import DistError
from torch.distributed.elastic import events
from torch.distributed.elastic.agent.server._workers import RunResult, Worker, WorkerGroup, WorkerSpec, WorkerState
from torch.distributed.elastic.metrics import prof
from torch.distributed.elastic.rendezvous.api import RendezvousGracefulExitError
from torch.distributed.elastic.utils.store import barrier, synchronize

__all__ = ["WorkerSpec", "Worker", "WorkerState", "WorkerGroup", "RunResult", "ElasticAgent", "SimpleElasticAgent"]

DEFAULT_ROLE = "default"
_log = logging.getLogger(__name__)


class ElasticAgent(abc.ABC):
    """Runs the workers of one machine."""

    @abc.abstractmethod
    def run(self, role: str = DEFAULT_ROLE) -> RunResult:
        """Runs them to their end.

        Args:
            role (str): a name of what they do

        Returns:
            how they have ended; failures are a result too
        """

    @abc.abstractmethod
    def get_worker_group(self, role: str = DEFAULT_ROLE) -> WorkerGroup:
        """The workers.

        Args:
            role (str): a name of what they do
        """


class SimpleElasticAgent(ElasticAgent):
    """Runs one group of workers: it meets the other machines, starts its workers, and starts them again after a failure.

    Subclasses say how workers start, stop and are watched.

    Args:
        spec (WorkerSpec): what the workers are
        exit_barrier_timeout (float, default 300): seconds to wait for other machines at the end
        shutdown_timeout (int, default 30): seconds between a signal and SIGKILL
    """

    def __init__(self, spec: WorkerSpec, exit_barrier_timeout: float = 300, shutdown_timeout: int = 30) -> None:
        self._worker_group = WorkerGroup(spec)
        self._remaining_restarts = spec.max_restarts
        self._exit_barrier_timeout, self._shutdown_timeout = exit_barrier_timeout, shutdown_timeout
        self._round = ""  # of the rendezvous: the same on all machines
        self._started = time.monotonic()

    def get_worker_group(self, role: str = DEFAULT_ROLE) -> WorkerGroup:
        """The workers.

        Args:
            role (str): of no effect
        """
        return self._worker_group

    @abc.abstractmethod
    def _start_workers(self, worker_group: WorkerGroup) -> dict[int, Any]:
        """Starts the workers, and gives their ids by local rank."""

    @abc.abstractmethod
    def _stop_workers(self, worker_group: WorkerGroup) -> None:
        """Ends the workers; they may be started again."""

    @abc.abstractmethod
    def _monitor_workers(self, worker_group: WorkerGroup) -> RunResult:
        """Looks how the workers are."""

    @abc.abstractmethod
    def _shutdown(self, death_sig: signal.Signals = signal.SIGTERM, timeout: int = 30) -> None:
        """Ends what is left, at the end of the job."""

    @prof
    def _rendezvous(self, worker_group: WorkerGroup) -> None:
        """Meets the other machines, and gives the workers their ranks."""
        spec = worker_group.spec
        info = spec.rdzv_handler.next_rendezvous()
        place = info.bootstrap_store_info
        worker_group.store, worker_group.group_rank, worker_group.group_world_size = info.store, info.rank, info.world_size
        worker_group.master_addr = spec.master_addr or place.master_addr
        worker_group.master_port = spec.master_port or place.master_port
        worker_group.workers = self._assign_worker_ranks(info.store, info.rank, info.world_size, spec)

    def _assign_worker_ranks(self, store: Any, group_rank: int, group_world_size: int, spec: WorkerSpec) -> list[Worker]:
        """Workers of machines are numbered in the order of the machines, all together and those of a role."""
        own = json.dumps([spec.role, spec.local_world_size, uuid.uuid4().hex]).encode()
        found = [json.loads(data) for data in synchronize(store, own, group_rank, group_world_size, "torchelastic/roles/")]
        self._round = found[0][2]
        first = sum(count for _, count, _ in found[:group_rank])
        role_first = sum(count for role, count, _ in found[:group_rank] if role == spec.role)
        total = sum(count for _, count, _ in found)
        role_total = sum(count for role, count, _ in found if role == spec.role)
        return [Worker(k, first + k, role_first + k, total, role_total) for k in range(spec.local_world_size)]

    @prof
    def _initialize_workers(self, worker_group: WorkerGroup) -> None:
        self._rendezvous(worker_group)
        ids = self._start_workers(worker_group)
        for worker in worker_group.workers:
            worker.id = ids.get(worker.local_rank)
        worker_group.state = WorkerState.HEALTHY

    @prof
    def _restart_workers(self, worker_group: WorkerGroup) -> None:
        self._stop_workers(worker_group)
        worker_group.state = WorkerState.STOPPED
        self._initialize_workers(worker_group)

    @prof
    def run(self, role: str = DEFAULT_ROLE) -> RunResult:
        """Runs the workers to their end.

        Args:
            role (str): a name of what they do

        Returns:
            how they have ended; failures are a result too
        """
        self._started = time.monotonic()
        death_signal = signal.SIGTERM
        try:
            result = self._invoke_run(role)
            self._record_worker_events(result)
            return result
        except RendezvousGracefulExitError as error:
            _log.info("this machine leaves the job: %s", error)
            return RunResult(WorkerState.STOPPED)
        except BaseException as error:
            death_signal = getattr(error, "sigval", death_signal)
            raise
        finally:
            self._shutdown(death_signal, self._shutdown_timeout)

    def _invoke_run(self, role: str = DEFAULT_ROLE) -> RunResult:
        group = self._worker_group
        spec = group.spec
        self._initialize_workers(group)
        while True:
            time.sleep(spec.monitor_interval)
            result = self._monitor_workers(group)
            group.state = result.state
            if result.state is WorkerState.SUCCEEDED:
                self._exit_barrier()
                return result
            if result.state in (WorkerState.UNHEALTHY, WorkerState.FAILED):
                if self._remaining_restarts < 1:
                    self._stop_workers(group)
                    group.state = WorkerState.FAILED
                    return result
                self._remaining_restarts -= 1
                _log.warning("ranks %s failed; all workers start again", sorted(result.failures))
                self._restart_workers(group)
            elif spec.rdzv_handler.num_nodes_waiting() > 0:  # they come to a job that runs, which makes room
                self._restart_workers(group)

    def _exit_barrier(self) -> None:
        """The workers have ended well: waits for those of other machines, which may need the store."""
        group = self._worker_group
        try:
            size: Any = group.group_world_size
            barrier(group.store, size, "torchelastic/agent/end", self._exit_barrier_timeout, group.group_rank)
        except DistError as error:
            _log.warning("other machines have not ended: %s", error)

    # Events

    def get_event_succeeded(self) -> events.Event:
        """What happened, as an event: the job has succeeded."""
        return self._event("SUCCEEDED", events.EventSource.AGENT)

    def get_event_failed(self) -> events.Event:
        """What happened, as an event: the job has failed."""
        return self._event("FAILED", events.EventSource.AGENT)

    def _record_worker_events(self, result: RunResult) -> None:
        for worker in self._worker_group.workers:
            failure = result.failures.get(worker.global_rank)
            if failure is not None:
                state, error = "FAILED", failure.message
            else:  # the others are ended when one fails
                state, error = "TERMINATED" if result.is_failed() else "SUCCEEDED", None
            event = self._event(state, events.EventSource.WORKER, worker, error)
            events.record(event, self._worker_group.spec.event_log_handler)

    def _event(
        self, state: str, source: events.EventSource, worker: Worker | None = None, error: str | None = None
    ) -> events.Event:  # fmt: skip
        group = self._worker_group
        spec = group.spec
        about: dict[str, Any] = {"group_world_size": group.group_world_size, "entry_point": spec.get_entrypoint_name()}
        if worker is not None:
            about.update(local_rank=[worker.local_rank], role_rank=[worker.role_rank], role_world_size=[worker.role_world_size])
        metadata: dict[str, Any] = {
            "run_id": spec.rdzv_handler.get_run_id(), "global_rank": worker.global_rank if worker else None,
            "group_rank": group.group_rank, "worker_id": str(worker.id) if worker else None, "role": spec.role,
            "hostname": socket.getfqdn(), "state": state, "total_run_time": int(time.monotonic() - self._started),
            "rdzv_backend": spec.rdzv_handler.get_backend(), "raw_error": error, "metadata": json.dumps(about),
            "agent_restarts": spec.max_restarts - self._remaining_restarts, "duration_ms": None,
        }  # fmt: skip
        return events.Event(f"torchelastic.worker.status.{state}", source, metadata=metadata)
