"""ProxyTorchDispatchMode: sees every operator call below autograd, and adds it to a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch._C import _functorch
from torch.fx.experimental._proxy_settings import RecordedSettings
from torch.fx.experimental._proxy_tracking import get_proxy_slot, track_tensor, track_tensor_tree
from torch.fx.node import map_aggregate
from torch.fx.proxy import Proxy
from torch.utils._python_dispatch import TorchDispatchMode, _push_mode, _unset_infra_mode

CURRENT_DECOMPOSITION_TABLE: Mapping[Any, Callable[..., Any]] = {}
CONSTANT_NUMEL_LIMIT = 1
# A constant of the program is copied each time that the graph runs, so that changing it in place does not last.
_COPIED = {"lift_fresh": lambda: torch.ops.aten.lift_fresh_copy.default}
_active: list[ProxyTorchDispatchMode] = []
# Views by which vmap's rules move the dimension of the batch. Those that move nothing are not recorded.
_MOVES = frozenset({"permute", "expand", "view", "alias", "_unsafe_view"})
# What takes a number out of a tensor.
_TO_PYTHON = ("_local_scalar_dense", "item", "is_nonzero", "equal")


class ProxyTorchDispatchMode(TorchDispatchMode):
    """A block in which operator calls are recorded. They run as well.

    Args:
        tracer (PythonKeyTracer): whose graph they are added to
        tracing_mode (str): "real" or "fake"
        pre_dispatch (bool, default False): record above autograd and autocast, composite operators whole
        decomposition_table (dict, optional): {operator: function that is recorded in its place}
    """

    # Modes of programs see calls first, then this one, and FakeTensorMode last.
    _mode_key = getattr(getattr(torch._C, "_TorchDispatchModeKey", None), "PROXY", None)

    def __init__(self, tracer: Any, tracing_mode: str = "real", pre_dispatch: bool = False, _allow_fake_constant: bool = False,
                 _error_on_data_dependent_ops: bool = True,
                 decomposition_table: Mapping[Any, Callable[..., Any]] | None = None, **options: Any) -> None:  # fmt: skip
        super().__init__(torch._C.DispatchKey.PreDispatch if pre_dispatch else None)
        self.settings = RecordedSettings(tracer) if pre_dispatch else None
        self.tracer, self.tracing_mode, self.pre_dispatch = tracer, tracing_mode, pre_dispatch
        self._error_on_data_dependent_ops = _error_on_data_dependent_ops
        self.decomposition_table = dict(decomposition_table or {})
        self.enable_tracing = True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """It is of this library, not of a program."""
        return True

    def __enter__(self) -> ProxyTorchDispatchMode:
        super().__enter__()
        if self.settings is not None:
            self.settings.begin()
        _active.append(self)
        return self

    def __exit__(self, *problem: Any) -> Any:
        _active.remove(self)
        return super().__exit__(*problem)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not self.enable_tracing:
            return func(*args, **kwargs)
        return proxy_call(self, func, self.pre_dispatch, args, kwargs)


def maybe_handle_decomp(proxy_mode: ProxyTorchDispatchMode, op: Any, args: Any, kwargs: Any) -> Any:
    """The result of the function that stands in for an operator, or NotImplemented."""
    table = CURRENT_DECOMPOSITION_TABLE if op in CURRENT_DECOMPOSITION_TABLE else proxy_mode.decomposition_table
    if op not in table:
        return NotImplemented
    with proxy_mode:
        return table[op](*args, **kwargs)


def proxy_call(proxy_mode: ProxyTorchDispatchMode, func: Any, pre_dispatch: bool, args: Any, kwargs: Any) -> Any:
    """Run an operator and record the call.

    Args:
        proxy_mode (ProxyTorchDispatchMode): which records
        func (OpOverload): the operator
        pre_dispatch (bool): whether the call comes before autograd
        args (tuple): positional arguments
        kwargs (dict): keyword arguments

    Returns:
        the result

    Raises:
        RuntimeError: the program asks for a number in a tensor that depends on the inputs
    """
    result = maybe_handle_decomp(proxy_mode, func, args, kwargs)
    if result is not NotImplemented:
        return result
    tracer = proxy_mode.tracer
    if pre_dispatch:
        if _functorch._current_level():
            raise NotImplementedError(f"make_fx: {func} is called under vmap, which pre_dispatch=True cannot record")
        proxy_mode.settings.note()
    name = func._overloadpacket.__name__
    if name in _TO_PYTHON:
        return _number(proxy_mode, func, args, kwargs)
    if name in _MOVES and _functorch._current_level():
        same = _unchanged(tracer, func, args, kwargs)
        if same is not None:
            return same
    recorded = _COPIED.get(name, lambda: func)()
    proxies = map_aggregate((tuple(args), dict(kwargs)), lambda value: _proxy_of(value, tracer))
    symbols = getattr(tracer, "symbols", None)
    out = tracer.create_proxy("call_function", recorded, *proxies, name=recorded._overloadpacket.__name__)
    result = recorded(*args, **kwargs)  # the copy of a constant, so that changes in place leave the attribute as it is
    if symbols is not None and isinstance(result, torch.Tensor):
        symbols.bind_tensor(result, out)
    return track_tensor_tree(result, out, constant=None, tracer=tracer)


def _unchanged(tracer: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """The result of a view that shows a tensor as it is, which stands for that tensor; None for other views."""
    source = args[0]
    proxy = get_proxy_slot(source, tracer, None) if isinstance(source, torch.Tensor) else None
    if proxy is None:
        return None
    with disable_proxy_modes_tracing(), torch.no_grad():
        view = func(*args, **kwargs)
    geometry = [(torch.Tensor.size(t), torch.Tensor.stride(t), torch.Tensor.storage_offset(t)) for t in (source, view)]
    if geometry[0] != geometry[1]:
        return None
    track_tensor(view, proxy, constant=None, tracer=tracer)
    return view


def _proxy_of(value: Any, tracer: Any) -> Any:
    """The proxy of a tensor that has one; constants become attributes of the recorded module."""
    if isinstance(value, torch.Tensor):
        return get_proxy_slot(value, tracer, value)
    symbols = getattr(tracer, "symbols", None)
    return value if symbols is None else symbols.replaced(value)


def _number(proxy_mode: ProxyTorchDispatchMode, func: Any, args: Any, kwargs: Any) -> Any:
    """The number in a tensor: that of a constant is one, others are not known to the graph."""
    known = [get_proxy_slot(value, proxy_mode.tracer, None) for value in args if isinstance(value, torch.Tensor)]
    if all(proxy is None for proxy in known) or not proxy_mode._error_on_data_dependent_ops:
        return func(*args, **kwargs)
    if getattr(proxy_mode.tracer, "symbols", None) is not None and func._overloadpacket.__name__ == "_local_scalar_dense":
        return _symbolic_number(proxy_mode.tracer, func, args)
    node = next(proxy.node for proxy in known if isinstance(proxy, Proxy))
    raise RuntimeError(
        f"make_fx: {func} asks for the number in the recorded tensor {node}, which other inputs would change: "
        "control flow and .item() cannot depend on the values of inputs; use torch.where and tensors of one element"
    )


def _symbolic_number(tracer: Any, func: Any, args: Any) -> Any:
    """The number in a tensor, as a symbol."""
    out = tracer.create_proxy("call_function", func, tuple(_proxy_of(value, tracer) for value in args), {})
    value = func(*args)
    node = tracer.symbols.sizes.expression(value)
    if node is not None:
        tracer.symbols.bind_number(node, out)
        out.node.meta["val"] = tracer.symbols.sizes.symbolic(value)
    return value


def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The recorder of operator calls that is at work, or None.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import get_proxy_mode
        >>> get_proxy_mode() is None
        True
    """
    return next((mode for mode in reversed(_active) if mode.enable_tracing), None)


get_innermost_proxy_mode = get_proxy_mode


@contextlib.contextmanager
def disable_proxy_modes_tracing(enable_current: bool = False) -> Iterator[Any]:
    """A block whose operator calls are not recorded."""
    paused = [mode for mode in _active if mode.enable_tracing]
    key = ProxyTorchDispatchMode._mode_key
    left = _unset_infra_mode(key) if key is not None and any(not mode.pre_dispatch for mode in paused) else None
    for mode in paused:
        mode.enable_tracing = False
    try:
        yield paused[-1] if paused else None
    finally:
        for mode in paused:
            mode.enable_tracing = True
        if left is not None:
            _push_mode(left)


@contextlib.contextmanager
def decompose(decomposition_table: Mapping[Any, Callable[..., Any]] | None) -> Iterator[Mapping[Any, Callable[..., Any]]]:
    """A block in which functions are recorded in place of operators, by a table."""
    global CURRENT_DECOMPOSITION_TABLE
    before, CURRENT_DECOMPOSITION_TABLE = CURRENT_DECOMPOSITION_TABLE, decomposition_table or {}
    try:
        yield CURRENT_DECOMPOSITION_TABLE
    finally:
        CURRENT_DECOMPOSITION_TABLE = before
