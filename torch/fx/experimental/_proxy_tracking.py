"""Which proxy stands for which tensor while operator calls are recorded."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.proxy import Proxy
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

_NOTHING = object()


def _place(tensor: torch.Tensor) -> Any:
    """What two tensors share that show the same elements of one storage in the same way; None without a storage."""
    try:
        storage = tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError, AttributeError):
        return None
    bits = tensor.is_conj(), tensor.is_neg()
    return storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype, bits


class TensorTracker:
    """{tensor: its proxy}. It keeps the tensors alive, so that their addresses stay theirs.

    Autograd hands out saved tensors as new objects over the same storage; they are found by their place in it.
    """

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[Any, Proxy]] = {}
        self._by_place: dict[Any, Proxy] = {}

    def track(self, tensor: Any, proxy: Proxy) -> None:
        """Let a proxy stand for a tensor, from now on."""
        self._by_id[id(tensor)] = (tensor, proxy)
        place = _place(tensor) if type(tensor) in (torch.Tensor, torch.nn.Parameter) else None
        if place is not None:
            self._by_place[place] = proxy

    def find(self, tensor: Any, default: Any = None) -> Any:
        """The proxy of a tensor."""
        held = self._by_id.get(id(tensor))
        if held is not None:
            return held[1]
        if type(tensor) is not torch.Tensor:
            return default
        place = _place(tensor)
        return self._by_place.get(place, default) if place is not None else default


def _tracker(tracer: Any) -> TensorTracker:
    return tracer.tensor_tracker


def set_proxy_slot(obj: Any, tracer: Any, proxy: Any) -> None:
    """Let a proxy stand for a tensor."""
    _tracker(tracer).track(obj, proxy)


def get_proxy_slot(obj: Any, tracer: Any, default: Any = _NOTHING, transform: Any = lambda proxy: proxy) -> Any:
    """The proxy of a tensor, or what a function makes of it."""
    found = _tracker(tracer).find(obj, _NOTHING)
    if found is not _NOTHING:
        return transform(found)
    if default is _NOTHING:
        raise KeyError(f"make_fx: the recorder has not seen {type(obj).__name__} at {id(obj):#x}")
    return default


def has_proxy_slot(obj: Any, tracer: Any) -> bool:
    """Whether a tensor has a proxy."""
    return _tracker(tracer).find(obj, _NOTHING) is not _NOTHING


def track_tensor(tensor: Any, proxy: Any, *, constant: Any, tracer: Any) -> None:
    """Let a proxy stand for a tensor."""
    set_proxy_slot(tensor, tracer, proxy)


def track_tensor_tree(inner_res: Any, proxy_res: Any, *, constant: Any, tracer: Any) -> Any:
    """Let proxies stand for the tensors of a result: `proxy[k]` for the k-th of a tuple or list.

    Args:
        inner_res (Any): the result
        proxy_res (Proxy): which stands for it
        constant (Any): of no effect
        tracer (PythonKeyTracer): which records

    Returns:
        the result
    """
    if isinstance(inner_res, torch.Tensor):
        if isinstance(proxy_res, Proxy):
            set_meta(proxy_res, inner_res)
            track_tensor(inner_res, proxy_res, constant=constant, tracer=tracer)
    elif isinstance(inner_res, (tuple, list)):
        if isinstance(proxy_res, Proxy):
            set_meta(proxy_res, inner_res)
        for k, each in enumerate(inner_res):
            track_tensor_tree(each, proxy_res[k], constant=None, tracer=tracer)
    elif isinstance(inner_res, dict):
        for key, each in inner_res.items():
            track_tensor_tree(each, proxy_res[key], constant=None, tracer=tracer)
    return inner_res


def snapshot_fake(val: torch.Tensor, include_real: bool = False) -> Any:
    """A tensor without data that is like a fake one at this moment."""
    return val.detach()


def extract_val(val: Any, include_real: bool = False) -> Any:
    """What to keep of a value in `meta["val"]`: fake tensors and numbers as they are, nothing of real tensors."""
    from torch._subclasses.fake_tensor import FakeTensor

    if isinstance(val, FakeTensor):
        return snapshot_fake(val)
    if isinstance(val, (int, float, bool, str)) or val is None:
        return val
    if isinstance(val, (list, tuple)):
        return type(val)([extract_val(each) for each in val]) if not hasattr(val, "_fields") else tuple(map(extract_val, val))
    return None


def set_meta(proxy: Proxy, val: Any) -> Proxy:
    """Note down in a node what its value is like.

    Args:
        proxy (Proxy): of the node
        val (Any): the value

    Returns:
        the proxy
    """
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.fx.passes.shape_prop import _extract_tensor_metadata

    mode = getattr(proxy.tracer, "fake_mode", None)

    def without_data(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor) and mode is not None:
            return mode.from_tensor(value, static_shapes=True)
        return value

    with _disable_current_modes():
        proxy.node.meta["val"] = tree_map(without_data, val)
        if isinstance(val, torch.Tensor):
            proxy.node.meta["tensor_meta"] = _extract_tensor_metadata(val)
    return proxy
