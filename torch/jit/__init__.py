"""TorchScript's names, as they behave in PyTorch with PYTORCH_JIT=0.

Functions and modules run as Python: `script` and `trace` return what they are given, and mention it in the log once. What needs
the compiled form, such as `save` and `load`, raises an error.
"""

from __future__ import annotations

from typing import Final  # noqa: F401

from torch._lazy import lazy
from torch.futures import Future
from torch.jit._async import _fork, _wait, fork, wait  # noqa: F401
from torch.jit._compiled_only import (
    enable_onednn_fusion,
    export_opnames,
    freeze,
    fuser,  # noqa: F401
    last_executed_optimized_graph,  # noqa: F401
    load,
    onednn_fusion_enabled,
    optimize_for_inference,
    optimized_execution,  # noqa: F401
    run_frozen_optimizations,  # noqa: F401
    save,
    set_fusion_strategy,
    strict_fusion,
)
from torch.jit._marks import Attribute, annotate, export, ignore, is_scripting, is_tracing, isinstance, unused
from torch.jit._script import (
    CompilationUnit,
    Error,
    RecursiveScriptClass,  # noqa: F401
    RecursiveScriptModule,  # noqa: F401
    ScriptFunction,
    ScriptModule,
    ScriptWarning,  # noqa: F401
    _drop,  # noqa: F401
    _overload,  # noqa: F401
    _overload_method,  # noqa: F401
    _unwrap_optional,  # noqa: F401
    interface,
    script,
    script_if_tracing,
    script_method,  # noqa: F401
)
from torch.jit._trace import (
    TopLevelTracedModule,  # noqa: F401
    TracedModule,  # noqa: F401
    TracerWarning,  # noqa: F401
    TracingCheckError,  # noqa: F401
    _get_trace_graph,  # noqa: F401
    trace,
    trace_module,
)

_script_if_tracing = script_if_tracing
_isinstance = isinstance

__all__ = [
    "Attribute", "CompilationUnit", "Error", "Future", "ScriptFunction", "ScriptModule", "annotate", "enable_onednn_fusion",
    "export", "export_opnames", "fork", "freeze", "interface", "ignore", "is_scripting", "is_tracing", "isinstance", "load",
    "onednn_fusion_enabled", "optimize_for_inference", "save", "script", "script_if_tracing", "set_fusion_strategy",
    "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

for _public in (Error, ScriptModule, ScriptFunction, CompilationUnit):
    _public.__module__ = "torch.jit"

__getattr__, _ = lazy(__name__, ("annotations", "frontend", "mobile", "quantized", "supported_ops", "unsupported_tensor_ops"))
