"""Jobs whose machines meet by a rendezvous of the user's: an agent runs the workers."""

from __future__ import annotations

import os
import signal
import uuid
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.distributed.launcher.api import LaunchConfig


def _stop(number: int, frame: FrameType | None) -> None:
    from torch.distributed.elastic.multiprocessing.api import SignalException

    raise SignalException(f"torchrun: ended by {signal.Signals(number).name}", signal.Signals(number))


def launch_with_handler(config: LaunchConfig, entrypoint: Any, args: list[Any]) -> dict[int, Any]:
    """Makes the handler that is registered by the name, and runs an agent with it."""
    from torch.distributed.elastic import events
    from torch.distributed.elastic.agent.server import LocalElasticAgent, WorkerSpec
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.elastic.rendezvous import RendezvousParameters
    from torch.distributed.elastic.rendezvous.registry import get_rendezvous_handler

    handler = get_rendezvous_handler(
        RendezvousParameters(
            config.rdzv_backend, config.rdzv_endpoint, config.run_id or str(uuid.uuid4()), config.min_nodes, config.max_nodes,
            config.local_addr, **config.rdzv_configs,
        )
    )  # fmt: skip
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
    before = {number: signal.signal(number, _stop) for number in numbers}
    try:
        result = agent.run()
        event = agent.get_event_failed() if result.is_failed() else agent.get_event_succeeded()
        events.record(event, config.event_log_handler)
        if result.is_failed():
            raise ChildFailedError(spec.get_entrypoint_name(), result.failures)
        return result.return_values
    finally:
        handler.shutdown()
        for number, function in before.items():
            signal.signal(number, function)
