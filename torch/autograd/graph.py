"""The recorded graph: its edges, and hooks for the tensors that it saves."""

from __future__ import annotations

import threading
from collections import namedtuple

import torch
from torch import _C, _lazy
from torch.utils.hooks import RemovableHandle

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

Node = _C._NodeBase if hasattr(_C, "_NodeBase") else object


class GradientEdge(namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=[None])):
    """A place in the graph: the output of a node.

    Args:
        node (Node): what computes it in the forward direction
        output_nr (int): which of its outputs
        ownership_token (object, optional): what keeps the graph alive

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.autograd.graph.GradientEdge((x * 2).grad_fn, 0).output_nr
        0
    """

    __slots__ = ()


def get_gradient_edge(tensor: torch.Tensor) -> GradientEdge:
    """The edge along which the gradient of a tensor flows.

    Args:
        tensor (Tensor): which requires a gradient

    Returns:
        the edge, which keeps the graph without keeping the tensor

    Raises:
        RuntimeError: it does not require a gradient

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> edge = torch.autograd.graph.get_gradient_edge(y)
        >>> torch.autograd.grad(y.sum(), edge)
        (tensor([1., 1.]),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor.grad_fn
    if node is None:
        with torch.enable_grad():
            node = tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr)


class saved_tensors_hooks:
    """A block in which every tensor saved for backward goes through functions.

    Args:
        pack_hook (function): gets the tensor; what it returns is saved
        unpack_hook (function): gets what was saved; returns the tensor

    Example:
        >>> x = torch.tensor([3.], requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.to(torch.float64), lambda t: t.float()):
        ...     y = x * x
        >>> y.backward()
        >>> x.grad
        tensor([6.])
    """

    def __init__(self, pack_hook: Callable[[torch.Tensor], Any], unpack_hook: Callable[[Any], torch.Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        _C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *problem: object) -> None:
        _C._autograd._pop_saved_tensors_default_hooks()


class save_on_cpu(saved_tensors_hooks):
    """A block in which tensors saved for backward wait in CPU memory.

    Args:
        pin_memory (bool, default False): accepted for compatibility
        device_type (str, default "cuda"): accepted for compatibility

    Example:
        >>> x = torch.tensor([3.], requires_grad=True)
        >>> with torch.autograd.graph.save_on_cpu():
        ...     y = x * x
        >>> torch.autograd.grad(y, x)
        (tensor([6.]),)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    """A block in which hooks on saved tensors are an error.

    Args:
        error_message (str): what the error says

    Example:
        >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        ...     with torch.autograd.graph.save_on_cpu():
        ...         pass
        Traceback (most recent call last):
        RuntimeError: not here
    """

    def __init__(self, error_message: str) -> None:
        self.message = error_message

    def __enter__(self) -> None:
        self.before = _C._autograd._saved_tensors_hooks_get_disabled_error_message()
        _C._autograd._saved_tensors_hooks_disable(self.message)

    def __exit__(self, *problem: object) -> None:
        if self.before is None:
            _C._autograd._saved_tensors_hooks_enable()
        else:
            _C._autograd._saved_tensors_hooks_disable(self.before)


def increment_version(tensor: Any) -> None:
    """Tell autograd that a tensor's memory was changed behind its back.

    Args:
        tensor (Tensor or Iterable[Tensor]): one or more

    Example:
        >>> x = torch.ones(2)
        >>> torch.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    for each in (tensor,) if isinstance(tensor, torch.Tensor) else tensor:
        _C._increment_version([each])


def register_multi_grad_hook(
    tensors: Sequence[torch.Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:  # fmt: skip
    """Call a function when the gradients of several tensors are there.

    Args:
        tensors (Sequence[Tensor]): that require a gradient
        fn (function): gets, with "all", the list of the gradients, None for those that a backward does not compute; with "any",
            the first one that is there
        mode (str, default "all"): or "any"

    Returns:
        a handle with `remove()`

    Raises:
        ValueError: another mode
        AssertionError: a tensor requires no gradient

    Example:
        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> handle = torch.autograd.graph.register_multi_grad_hook([a, b], lambda gradients: print(gradients))
        >>> (2 * a + 3 * b).backward()
        [tensor([2.]), tensor([3.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"register_multi_grad_hook: mode must be 'all' or 'any', got {mode!r}")
    for tensor in tensors:
        if not tensor.requires_grad:
            raise AssertionError("register_multi_grad_hook: every tensor must require a gradient")
    lock = threading.Lock()
    if mode == "any":
        ran: set[int] = set()

        def first(gradient):
            task = _C._current_graph_task_id()
            if task == -1:
                raise RuntimeError("register_multi_grad_hook: expected the hook to run inside of a backward")
            with lock:
                if task in ran:
                    return
                ran.clear()
                ran.add(task)
            fn(gradient)

        return _Handles(tuple(tensor.register_hook(first) for tensor in tensors))
    arrived: dict[int, int] = {}
    gradients: dict[int, list[torch.Tensor | None]] = {}
    expected: dict[int, int] = {}
    nodes = [get_gradient_edge(tensor).node for tensor in tensors]

    def collect(place):
        def hook(gradient):
            task = _C._current_graph_task_id()
            if task == -1:
                raise RuntimeError("register_multi_grad_hook: expected the hook to run inside of a backward")
            with lock:
                if task not in arrived:
                    arrived[task], gradients[task] = 0, [None] * len(nodes)
                    expected[task] = sum(map(_C._will_engine_execute_node, nodes))
                gradients[task][place] = gradient
                arrived[task] += 1
                if arrived[task] < expected[task]:
                    return
                complete = gradients.pop(task)
                del arrived[task], expected[task]
            fn(complete)

        return hook

    return _Handles(tuple(tensor.register_hook(collect(place)) for place, tensor in enumerate(tensors)))


class _Handles(RemovableHandle):
    """One handle for several hooks."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self) -> None:
        """Removes the hooks."""
        for handle in self.handles:
            handle.remove()

    def __getstate__(self):
        return self.handles

    def __setstate__(self, state):
        self.handles = state


def allow_mutation_on_saved_tensors() -> Any:
    """A block in which tensors that backward needs may be changed in place: what is changed is copied first.

    Backward has to run inside of the block as well.

    Returns:
        a context manager

    Raises:
        RuntimeError: blocks are nested

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = y * y
        ...     y.zero_()
        ...     z.sum().backward()
        tensor([0., 0.], grad_fn=<ZeroBackward0>)
        >>> x.grad
        tensor([2., 2.])
    """
    from torch.autograd._mutation import allow_mutation

    return allow_mutation()


def region_activation_memory_budget(budget: float) -> Any:
    """A hint for the compiler, which this version does not have.

    Args:
        budget (float): from 0 to 1

    Raises:
        RuntimeError: always

    Example:
        >>> torch.autograd.graph.region_activation_memory_budget(0.5)
        Traceback (most recent call last):
        RuntimeError: ...
    """
    raise RuntimeError("region_activation_memory_budget: only compiled code has budgets, and this version compiles nothing")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether to warn when gradients are accumulated on another stream of a GPU. Without a GPU there is one stream.

    Args:
        enabled (bool): whether

    Example:
        >>> torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
    """


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Whether backward may replace streams of captured graphs of a GPU. Without a GPU there are none.

    Args:
        enabled (bool): whether

    Example:
        >>> torch.autograd.graph.set_override_stale_capture_stream(True)
    """


__all__ = [
    *"GradientEdge Node allow_mutation_on_saved_tensors disable_saved_tensors_hooks get_gradient_edge".split(),
    *"increment_version region_activation_memory_budget register_multi_grad_hook save_on_cpu".split(),
    *"saved_tensors_hooks set_override_stale_capture_stream set_warn_on_accumulate_grad_stream_mismatch".split(),
]

_lazy.names_what_is_absent(__name__)
