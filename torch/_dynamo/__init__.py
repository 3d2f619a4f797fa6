"""Names of PyTorch's compiler that programs use. There is no compiler: functions come back as they are, and run eagerly."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch._compiled_module import OptimizedModule  # noqa: F401
from torch._compiler_settings import Settings
from torch._lazy import lazy
from torch.compiler import (  # noqa: F401
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    substitute_in_graph,
)

config = Settings(
    "torch._dynamo.config",
    {
        "verbose": False, "suppress_errors": False, "disable": False, "cache_size_limit": 8, "recompile_limit": 8,
        "accumulated_cache_size_limit": 256, "accumulated_recompile_limit": 256, "fail_on_recompile_limit_hit": False,
        "assume_static_by_default": True, "automatic_dynamic_shapes": True, "dynamic_shapes": True, "optimize_ddp": True,
        "capture_scalar_outputs": False, "capture_dynamic_output_shape_ops": False, "guard_nn_modules": True,
        "inline_inbuilt_nn_modules": True, "allow_unspec_int_on_nn_module": False, "force_parameter_static_shapes": True,
        "force_nn_module_property_static_shapes": True, "specialize_int": False, "specialize_float": False,
        "skip_fwd_side_effects_in_bwd_under_checkpoint": False, "error_on_recompile": False, "compiled_autograd": False,
        "enable_compiler_collectives": False, "log_level": 30, "raise_on_ctx_manager_usage": True,
        "rewrite_assert_with_torch_assert": True, "install_free_tensors": False,
        "prefer_deferred_runtime_asserts_over_guards": False, "skip_nnmodule_hook_guards": True, "trace_numpy": True,
        "numpy_default_float": "float64", "numpy_default_complex": "complex128", "numpy_default_int": "int64",
        "use_graph_deduplication": False, "allow_rnn": False, "do_not_emit_runtime_asserts": False, "debug_dir_root": "",
    },
)  # fmt: skip
sys.modules[config.__name__] = config


def optimize(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """The former name of `torch.compile`: a decorator with the same warning and the same result."""
    backend = args[0] if args else kwargs.get("backend", "inductor")
    return lambda function: torch.compile(function, backend=backend, fullgraph=kwargs.get("nopython", False))


def explain(f: Any, *args: Any, **kwargs: Any) -> Any:
    """How a function would be split into graphs, which nobody can say without a compiler."""
    raise NotImplementedError("torch._dynamo.explain: this version of torch has no compiler")


def export(f: Any, *args: Any, **kwargs: Any) -> Any:
    """The graph of a function, which this version cannot record."""
    raise NotImplementedError("torch._dynamo.export: this version of torch records no graphs")


def run(fn: Any = None) -> Any:
    """Run only what is compiled already; a function runs as it is."""
    return fn if fn is not None else lambda function: function


def disallow_in_graph(fn: Any) -> Any:
    """Keep calls of a function out of graphs; it comes back as it is."""
    return fn


forbid_in_graph = nonstrict_trace = disallow_in_graph


def graph_break(msg: str = "") -> None:
    """Begin a new graph; there is none to end."""


def mark_dynamic(t: Any, index: Any, **bounds: Any) -> None:
    """Say that a dimension of a tensor varies; there are no graphs to know it."""


maybe_mark_dynamic = mark_unbacked = mark_static = mark_dynamic


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Say that a tensor stays where it is."""


def is_dynamo_supported() -> bool:
    """Whether there is a compiler: no."""
    return False


is_inductor_supported = is_dynamo_supported


__getattr__, __dir__ = lazy(
    __name__, ("_trace_wrapped_higher_order_op", "decorators", "eval_frame", "exc", "external_utils", "utils")
)
