"""Graphs of the work of Intel's GPUs."""

from torch.xpu import XPUGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables

__all__ = ["XPUGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]
