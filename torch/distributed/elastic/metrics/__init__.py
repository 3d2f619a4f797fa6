"""Numbers that torchrun, agents and programs report, and the handlers that they go to."""

from __future__ import annotations

from torch.distributed.elastic.metrics.api import (
    ConsoleMetricHandler,
    MetricData,
    MetricHandler,
    MetricsConfig,
    MetricStream,
    NullMetricHandler,
    configure,
    get_elapsed_time_ms,
    getStream,
    prof,
    profile,
    publish_metric,
    put_metric,
)

__all__ = [
    "ConsoleMetricHandler", "MetricData", "MetricHandler", "MetricStream", "MetricsConfig", "NullMetricHandler", "configure",
    "getStream", "get_elapsed_time_ms", "initialize_metrics", "prof", "profile", "publish_metric", "put_metric",
]  # fmt: skip


def initialize_metrics(cfg: MetricsConfig | None = None) -> None:
    """A place for one's own start of metrics; it does nothing.

    Args:
        cfg (MetricsConfig, optional): settings
    """
