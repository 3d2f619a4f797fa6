"""Jobs whose machines meet by a rendezvous of the user's: an agent runs the workers."""

from __future__ import annotations

import os
import signal
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.distributed.launcher.api import LaunchConfig


def _ended_by(number: int) -> BaseException:
    from torch.distributed.elastic.multiprocessing.api import SignalException

    return SignalException(f"torchrun: ended by {signal.Signals(number).name}", signal.Signals(number))


def launch_with_handler(config: LaunchConfig, entrypoint: Any, args: list[Any]) -> dict[int, Any]:
    """Makes the handler that is registered by the name, and runs an agent with it."""
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.rendezvous import RendezvousParameters
    from torch.distributed.elastic.rendezvous.registry import get_rendezvous_handler

    handler = get_rendezvous_handler(
        RendezvousParameters(
            config.rdzv_backend, config.rdzv_endpoint, config.run_id or str(uuid.uuid4()), config.min_nodes, config.max_nodes,
            config.local_addr, **config.rdzv_configs,
        )
    )  # fmt: skip
    is_over = True
    try:
        return _run_agent(config, entrypoint, args, handler)
    except SignalException:  # this machine leaves; the others go on, with one that may come in its place
        is_over = False
        raise
    finally:
        if is_over:
            handler.shutdown()


def _run_agent(config: LaunchConfig, entrypoint: Any, args: list[Any], handler: Any) -> dict[int, Any]:
    from torch.distributed.elastic import events
    from torch.distributed.elastic._signals import signals_raise
    from torch.distributed.elastic.agent.server import LocalElasticAgent, WorkerSpec
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    events.get_logging_handler(config.event_log_handler)  # an error now, if there is none
    spec = WorkerSpec(
        config.role, config.nproc_per_node, handler, entrypoint=entrypoint, args=tuple(args), max_restarts=config.max_restarts,
        monitor_interval=config.monitor_interval, local_addr=config.local_addr, event_log_handler=config.event_log_handler,
        virtual_local_rank=config.virtual_local_rank,
    )  # fmt: skip
    shutdown = config.shutdown_timeout
    if shutdown is None:
        shutdown = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", 30))
    agent = LocalElasticAgent(spec, config.logs_specs or DefaultLogsSpecs(), config.start_method, shutdown_timeout=shutdown)
    numbers: list[int] = [signal.Signals[name.strip()] for name in config.signals_to_handle.split(",") if name.strip()]
    event = agent.get_event_failed
    try:
        with signals_raise(numbers, _ended_by):
            result = agent.run()
        if result.is_failed():
            raise ChildFailedError(spec.get_entrypoint_name(), result.failures)
        event = agent.get_event_succeeded
        return result.return_values
    finally:
        events.record(event(), config.event_log_handler)
