"""torchrun on one machine: starts its workers in each round, watches them, and starts them again after a failure."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

from torch.distributed import DistError
from torch.distributed.elastic._meeting import Meeting, Round
from torch.distributed.elastic._signals import signals_raise
from torch.distributed.elastic._workers import Worker, Workers, worker_environment
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

_LOST_AFTER = 15.0  # seconds without a sign of life from a machine
_LAST_WAIT = 300.0  # seconds that a machine waits for the workers of others


@dataclass
class Job:
    """What one machine runs."""

    command: list[str]
    name: str
    workers: int
    run_id: str
    max_restarts: int = 0
    monitor_interval: float = 0.1
    role: str = "default"
    log_dir: str | None = None
    redirects: str = "0"
    tee: str = "0"
    shown_ranks: list[int] | None = None
    shutdown_timeout: float = 30.0
    signals: list[int] = field(default_factory=list)
    event_log_handler: str = "null"


class Stopped(BaseException):
    """A signal came."""

    def __init__(self, number: int) -> None:
        super().__init__(f"torchrun: ended by {signal.Signals(number).name}")
        self.number = number


def environment_of(job: Job, meeting: Meeting, found: Round, local_rank: int, restarts: int) -> dict[str, str]:
    rank = found.first_rank + local_rank
    values: dict[str, Any] = {
        "LOCAL_RANK": local_rank, "RANK": rank, "GROUP_RANK": found.node, "ROLE_RANK": rank, "ROLE_NAME": job.role,
        "LOCAL_WORLD_SIZE": job.workers, "WORLD_SIZE": found.world_size, "GROUP_WORLD_SIZE": len(found.sizes),
        "ROLE_WORLD_SIZE": found.world_size, "MASTER_ADDR": meeting.host, "MASTER_PORT": meeting.port,
        "TORCHELASTIC_RESTART_COUNT": restarts, "TORCHELASTIC_MAX_RESTARTS": job.max_restarts,
        "TORCHELASTIC_RUN_ID": job.run_id, "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_ROUND": found.number,
    }  # fmt: skip
    return worker_environment(values, job.workers)


def start(job: Job, meeting: Meeting, found: Round, restarts: int, logs: str) -> Workers:
    group = Workers()
    try:
        for local_rank in range(job.workers):
            environment = environment_of(job, meeting, found, local_rank, restarts)
            folder = os.path.join(logs, f"attempt_{found.number}", str(local_rank))
            command = [part.replace("${local_rank}", str(local_rank)) for part in job.command]
            shown = job.shown_ranks is None or local_rank in job.shown_ranks
            rank = found.first_rank + local_rank
            group.add(Worker(command, environment, rank, local_rank, folder, job.redirects, job.tee, job.role, shown,
                             group.ended))  # fmt: skip
    except BaseException:
        group.end(signal.SIGTERM, job.shutdown_timeout)
        raise
    return group


def watch(job: Job, meeting: Meeting, group: Workers) -> str:
    """Waits for what comes first: "done", "failed" or "round", for a round that ended elsewhere."""
    alone = meeting.max_nodes == 1
    next_look = 0.0
    while True:
        group.ended.clear()
        done, failed = group.poll()
        if failed:
            return "failed"
        if done:
            return "done"
        if not alone and time.monotonic() >= next_look:
            next_look = time.monotonic() + max(job.monitor_interval, 0.5)
            if meeting.failure() is not None or meeting.is_over(_LOST_AFTER):
                return "round"
        group.ended.wait(job.monitor_interval)


def run_job(job: Job, meeting: Meeting) -> dict[int, Any]:
    """Runs the job to its end; ChildFailedError if its workers failed more often than it may restart them.

    Gives what the functions of the workers returned, by their ranks. How the job has ended is an event for its handler.
    """
    if job.event_log_handler == "null":
        with signals_raise(job.signals, Stopped):
            return _run_rounds(job, meeting)
    from torch.distributed.elastic import events

    events.get_logging_handler(job.event_log_handler)  # an error now, if there is none
    started, state = time.monotonic(), "FAILED"
    try:
        with signals_raise(job.signals, Stopped):
            results = _run_rounds(job, meeting)
        state = "SUCCEEDED"
        return results
    finally:
        found = meeting.current
        about: dict[str, Any] = {
            "run_id": job.run_id, "role": job.role, "state": state, "hostname": socket.getfqdn(), "entry_point": job.name,
            "group_rank": found.node if found else None, "group_world_size": len(found.sizes) if found else None,
            "total_run_time": int(time.monotonic() - started),
        }  # fmt: skip
        event = events.Event(f"torchelastic.worker.status.{state}", events.EventSource.AGENT, metadata=about)
        events.record(event, job.event_log_handler)


def _run_rounds(job: Job, meeting: Meeting) -> dict[int, Any]:
    logs = tempfile.mkdtemp(prefix=f"{job.run_id}_", dir=job.log_dir)
    restarts = 0
    group = Workers()
    try:
        while True:
            failure = meeting.failure()
            if failure is not None:
                raise RuntimeError(f"torchrun: the job failed on another machine: {failure}")
            found = meeting.join(job.workers)
            group = start(job, meeting, found, restarts, logs)
            outcome = watch(job, meeting, group)
            if outcome == "done":
                if meeting.max_nodes > 1:
                    meeting.leave(_LAST_WAIT)
                return {worker.rank: worker.result() for worker in group.workers}
            if outcome == "round":
                group.end(signal.SIGTERM, job.shutdown_timeout)
                continue
            failures = group.failures()
            group.end(signal.SIGTERM, job.shutdown_timeout)
            error = ChildFailedError(job.name, failures)
            if restarts >= job.max_restarts:
                meeting.fail(str(error).splitlines()[1].strip())
                raise error
            restarts += 1
            print(f"{error}\ntorchrun: starting the workers again, {restarts} of {job.max_restarts}", file=sys.stderr, flush=True)
            meeting.next_round(found.number)
    except Stopped as stopped:
        group.end(stopped.number, job.shutdown_timeout)
        raise
    except DistError:
        group.end(signal.SIGTERM, job.shutdown_timeout)
        raise
    finally:
        group.end(signal.SIGTERM, job.shutdown_timeout)
        if job.log_dir is None and job.redirects == "0" and job.tee == "0":
            import shutil

            shutil.rmtree(logs, ignore_errors=True)
