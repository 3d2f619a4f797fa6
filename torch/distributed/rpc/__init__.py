"""Calls of functions on other processes, which this library does not have; its names say so."""

from __future__ import annotations

from torch._missing_device import MissingDevice as _Missing

_REASON = (
    "calls of functions on other processes are not there: their transport in PyTorch, TensorPipe, is no longer maintained; "
    "use collectives, messages (send, recv) and objects (send_object_list) of torch.distributed"
)
_missing = _Missing(__name__, globals(), RuntimeError, _REASON)
_missing.answers("is_available", False, "Whether calls of functions on other processes are there.")
_missing.refuses(
    "init_rpc shutdown rpc_sync rpc_async remote get_worker_info get_rpc_timeout enable_gil_profiling new_method method_factory",
    "Needs calls of functions on other processes.",
)
_missing.refused_classes(
    "RRef PyRRef WorkerInfo RpcAgent RpcBackendOptions TensorPipeAgent TensorPipeRpcBackendOptions",
    "A part of calls of functions on other processes.",
)

__all__ = ["init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown"]
