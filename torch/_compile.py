"""torch.compile without a compiler: checks its arguments, warns once, and returns a function that runs eagerly.

Modules are returned wrapped, as in PyTorch, so that names in checkpoints are the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

_BACKENDS = ("aot_eager", "cudagraphs", "eager", "inductor", "onnxrt", "openxla", "tensorrt", "tvm")
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_state: dict[str, Any] = {"warned": False, "backend": "inductor"}


class InvalidBackend(RuntimeError):
    """There is no backend of this name."""


def check_backend(backend: object) -> None:
    """Refuse backends that PyTorch does not have, and options that only a compiler could support."""
    if isinstance(backend, str):
        if backend not in _BACKENDS:
            raise InvalidBackend(f"torch.compile: invalid backend {backend!r}, expected one of {', '.join(_BACKENDS)}")
    elif callable(backend):
        raise NotImplementedError(
            "torch.compile: a function as backend is given graphs, and this version of torch makes none; "
            "backend='eager' runs the model as it is"
        )
    else:
        raise TypeError(f"torch.compile: backend must be a name or a function, got {type(backend).__name__}")


def _check(fullgraph: bool, dynamic: object, backend: object, mode: object, options: object) -> None:
    if dynamic is not None and not isinstance(dynamic, bool):
        raise TypeError(f"torch.compile: dynamic must be True, False or None, got {dynamic!r}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"torch.compile: options must be a dict, got {type(options).__name__}")
    check_backend(_state["backend"] if backend is None else backend)
    if fullgraph:
        raise NotImplementedError(
            "torch.compile: fullgraph=True promises one graph of the whole function, and this version of "
            "torch makes none; without it the function runs eagerly"
        )


def _say_once() -> None:
    if not _state["warned"]:
        _state["warned"] = True
        warnings.warn(
            "torch.compile: this version of torch has no compiler; the function or module runs eagerly. This is said once.",
            stacklevel=3,
        )


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **more: Any,
) -> Any:
    """Return a function or module that computes what `model` computes; nothing is compiled, it runs eagerly.

    Args:
        model (Module or function, optional): what runs; without it, the call is a decorator
        fullgraph (bool, default False): True promises one graph, which is not there
        dynamic (bool, optional): checked, of no effect
        backend (str, optional): a name such as "inductor", the default, or "eager"
        mode (str, optional): "default", "reduce-overhead", "max-autotune", ...
        options (dict, optional): checked, of no effect
        disable (bool, default False): return `model` itself
        **more (Any): recompile_limit, isolate_recompiles and name, of no effect

    Returns:
        an OptimizedModule around a module, a function as it is

    Raises:
        NotImplementedError: fullgraph=True, or a function as backend
        RuntimeError: an unknown backend or mode

    Example:
        >>> step = torch.compile(lambda x: x + 1, backend="eager")
        >>> step(torch.zeros(2))
        tensor([1., 1.])
    """
    if more.keys() - {"recompile_limit", "isolate_recompiles", "name"}:
        raise TypeError(f"compile() got an unexpected keyword argument {min(more)!r}")
    if model is None:

        def decorate(function: Any) -> Any:
            if function is None:
                raise RuntimeError("Model can't be None")
            return compile(
                function, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
            )

        return decorate
    if disable:
        return model
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    _check(fullgraph, dynamic, backend, mode, options)
    _say_once()
    if not isinstance(model, torch.nn.Module):
        return model
    from torch._compiled_module import OptimizedModule

    return OptimizedModule(model)


compile.__module__ = "torch"


def compile_in_place(module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
    """`nn.Module.compile`: the checks and the warning; the module does not change."""
    compile(type(module).forward, *args, **kwargs)
