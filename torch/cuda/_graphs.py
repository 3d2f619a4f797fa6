"""CUDA graphs: work that a stream is given once, and runs again with one call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.cuda import _devices
from torch.cuda._runtime import extension, initialize


def is_current_stream_capturing() -> bool:
    """Whether work of the current stream is captured for a graph."""
    return extension().device_count() > 0 and extension().is_capturing()


def graph_pool_handle() -> tuple[int, int]:
    """A new pool of memory, for graphs that share one: pass it as `pool`."""
    return initialize().graph_pool_handle()


class CUDAGraph:
    """Work of a stream, captured once.

    Captured work runs at its replay only, on the same memory: new inputs are copied into the tensors that the capture
    read, and results are read from the tensors that it made. `torch.cuda.graph` captures a block.

    Args:
        keep_graph (bool, default False): keep the graph behind the executable one, for raw_cuda_graph() and debug_dump()
    """

    def __init__(self, keep_graph: bool = False) -> None:
        self._graph = initialize().CUDAGraph(keep_graph)

    def capture_begin(
        self, pool: tuple[int, int] | None = None, capture_error_mode: str = "global", check_input_liveness: bool = False
    ) -> None:
        """Captures the work of the current stream, which must not be the default one, from here on.

        Args:
            pool (tuple, optional): a pool of memory to share, of `graph_pool_handle` or of another graph
            capture_error_mode (str, default "global"): which threads must make no call that CUDA refuses meanwhile:
                "global" all, "thread_local" this one, "relaxed" none
            check_input_liveness (bool, default False): not there

        Raises:
            RuntimeError: the stream is the default one or captured already, or the graph has captured something
            NotImplementedError: check_input_liveness=True
        """
        if check_input_liveness:
            raise NotImplementedError("CUDAGraph.capture_begin(): check_input_liveness is not there")
        self._graph.capture_begin(pool or (0, 0), capture_error_mode)

    def capture_end(self) -> None:
        """Ends the capture. An error of CUDA in the meantime is raised here at the latest."""
        self._graph.capture_end()

    def instantiate(self) -> None:
        """Makes the executable graph, which otherwise happens at the end of the capture, or before the first replay."""
        self._graph.instantiate()

    def replay(self) -> None:
        """Runs the work on the current stream, with new random numbers."""
        self._graph.replay()

    def reset(self) -> None:
        """Forgets the work, and gives its memory back."""
        self._graph.reset()

    def pool(self) -> tuple[int, int]:
        """The pool of the graph's memory, for other graphs that never run at the same time."""
        return self._graph.pool()

    def register_generator_state(self, generator: torch.Generator) -> None:
        """Before the capture: a generator that captured work draws from. The default one needs no call."""
        self._graph.register_generator_state(generator)

    def enable_debug_mode(self) -> None:
        """Keeps the graph, for debug_dump()."""
        self._graph.enable_debug_mode()

    def debug_dump(self, debug_path: str) -> None:
        """Writes the graph to a file in the language of Graphviz."""
        self._graph.debug_dump(debug_path)

    def raw_cuda_graph(self) -> int:
        """The address of CUDA's graph."""
        return self._graph.raw_cuda_graph()

    def raw_cuda_graph_exec(self) -> int:
        """The address of CUDA's executable graph."""
        return self._graph.raw_cuda_graph_exec()


class graph:
    """A block whose work on the GPU is captured, and not run.

    Args:
        cuda_graph (CUDAGraph): where it goes
        pool (tuple, optional): a pool of memory to share
        stream (Stream, optional): the stream to capture on; one for all captures by default
        capture_error_mode (str, default "global"): as of CUDAGraph.capture_begin
        enable_annotations (bool, default False): takes no effect
        check_input_liveness (bool, default False): not there
    """

    default_capture_stream: Any = None

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: tuple[int, int] | None = None,
        stream: Any = None,
        capture_error_mode: str = "global",
        enable_annotations: bool = False,
        check_input_liveness: bool = False,
    ) -> None:
        if stream is None:
            if graph.default_capture_stream is None:
                graph.default_capture_stream = _devices.Stream()
            stream = graph.default_capture_stream
        self.cuda_graph, self.pool, self.capture_stream = cuda_graph, pool, stream
        self.capture_error_mode, self.check_input_liveness = capture_error_mode, check_input_liveness
        self.stream_ctx = _devices.stream(stream)

    def __enter__(self) -> None:
        # Memory that only waits to be collected would be freed in the capture, and could not be used by others after it.
        _devices.synchronize()
        gc.collect()
        torch.cuda.empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode, self.check_input_liveness)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self.cuda_graph.capture_end()
        except Exception:
            if error is None:  # an error in the block says more
                raise
        finally:
            self.stream_ctx.__exit__(kind, error, trace)


def _leaves(tree: Any) -> tuple[list[Any], Any]:
    from torch.utils._pytree import tree_flatten

    return tree_flatten(tree)


class _Captured:
    """The graphs of one callable, and the tensors that they read and write."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function, self.args = function, args
        self.inputs = _leaves(args)[0]
        for value in self.inputs:
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"make_graphed_callables(): expected sample arguments of tensors, got {type(value).__name__}")
        self.parameters = tuple(function.parameters()) if isinstance(function, torch.nn.Module) else ()
        if isinstance(function, torch.nn.Module):
            self._check(function)
        self.read = (*self.inputs, *self.parameters)
        self.forward_graph, self.backward_graph = CUDAGraph(), CUDAGraph()
        self.outputs: tuple[torch.Tensor, ...] = ()
        self.structure: Any = None
        self.given: tuple[torch.Tensor | None, ...] = ()
        self.gradients: tuple[torch.Tensor | None, ...] = ()

    @staticmethod
    def _check(module: torch.nn.Module) -> None:
        if module._backward_hooks or module._forward_hooks or module._forward_pre_hooks:
            raise RuntimeError("make_graphed_callables(): hooks of a module can be registered after the call only")
        if any(buffer.requires_grad for buffer in module.buffers()):
            raise RuntimeError("make_graphed_callables(): buffers of a module must not require a gradient")

    def _differentiated(self) -> tuple[torch.Tensor, ...]:
        return tuple(t for t in self.read if t.requires_grad)

    def _compute(self) -> tuple[torch.Tensor, ...]:
        outputs, self.structure = _leaves(self.function(*self.args))
        return tuple(outputs)

    def _gradients(self, outputs: Any, given: Any, allow_unused: bool) -> tuple[torch.Tensor | None, ...]:
        pairs = [(out, grad) for out, grad in zip(outputs, given) if grad is not None]
        if not pairs or not self._differentiated():
            return ()
        return torch.autograd.grad(
            [out for out, _ in pairs], self._differentiated(), [grad for _, grad in pairs],
            only_inputs=True, allow_unused=allow_unused,
        )  # fmt: skip

    def warm_up(self, times: int, allow_unused: bool) -> None:
        for _ in range(times):
            outputs = self._compute()
            given = [torch.empty_like(out) if out.requires_grad else None for out in outputs]
            self._gradients(outputs, given, allow_unused)

    def capture_forward(self, pool: tuple[int, int]) -> None:
        with graph(self.forward_graph, pool=pool):
            self.outputs = self._compute()

    def capture_backward(self, pool: tuple[int, int], allow_unused: bool) -> None:
        self.given = tuple(torch.empty_like(out) if out.requires_grad else None for out in self.outputs)
        with graph(self.backward_graph, pool=pool):
            found = iter(self._gradients(self.outputs, self.given, allow_unused))
            self.gradients = tuple(next(found, None) if t.requires_grad else None for t in self.read)

    def as_function(self) -> Callable[..., Any]:
        captured = self

        class Graphed(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
                for own, value in zip(captured.inputs, values):
                    if own.data_ptr() != value.data_ptr():
                        own.copy_(value)
                captured.forward_graph.replay()
                return tuple(out.detach() for out in captured.outputs)

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx: Any, *grads: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
                for own, grad in zip(captured.given, grads):
                    if own is not None and own.data_ptr() != grad.data_ptr():
                        own.copy_(grad)
                captured.backward_graph.replay()
                return tuple(None if grad is None else grad.detach() for grad in captured.gradients)

        def call(*args: Any) -> Any:
            from torch.utils._pytree import tree_unflatten

            outputs = Graphed.apply(*_leaves(args)[0], *captured.parameters)
            return tree_unflatten(list(outputs), captured.structure)

        return call


def _with_graphed_forward(module: torch.nn.Module, call: Callable[..., Any]) -> torch.nn.Module:
    mode, plain = module.training, module.forward

    def forward(*args: Any) -> Any:
        # What was captured is of the mode in which it was captured.
        return call(*args) if module.training == mode else plain(*args)

    module.forward = forward
    return module


def make_graphed_callables(
    callables: Any,
    sample_args: Any,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: tuple[int, int] | None = None,
) -> Any:
    """Functions or modules whose forward and backward passes are replays of CUDA graphs.

    Args:
        callables (Module or function, or a tuple of these): in the order in which they will run
        sample_args (tuple of tensors, or one such tuple for each callable): of the shapes, types and requires_grad that the
            calls will have
        num_warmup_iters (int, default 3): runs before the capture
        allow_unused_input (bool, default False): arguments that take no part in the results are no error
        pool (tuple, optional): a pool of memory to share

    Returns:
        the same modules with a replaced forward, and functions that replay

    Raises:
        RuntimeError: autocast's cache is on, or a module has hooks, or buffers that require a gradient
        TypeError: an argument that is no tensor
    """
    if torch.is_autocast_enabled() and torch.is_autocast_cache_enabled():
        raise RuntimeError("make_graphed_callables(): autocast must run with cache_enabled=False")
    single = not isinstance(callables, tuple)
    functions = (callables,) if single else callables
    samples: Sequence[Any] = (sample_args,) if single else sample_args
    captured = [_Captured(function, tuple(args)) for function, args in zip(functions, samples)]
    shared = graph_pool_handle() if pool is None else pool
    _devices.synchronize()
    with _devices.stream(_devices.Stream()):
        for one in captured:
            one.warm_up(num_warmup_iters, allow_unused_input)
    _devices.synchronize()
    # Graphs that share a pool are captured in the order in which they will run.
    for one in captured:
        one.capture_forward(shared)
    for one in reversed(captured):
        one.capture_backward(shared, allow_unused_input)
    made = [
        _with_graphed_forward(function, one.as_function()) if isinstance(function, torch.nn.Module) else one.as_function()
        for function, one in zip(functions, captured)
    ]
    return made[0] if single else tuple(made)
