"""Names of PyTorch's code generator that programs use. There is none; its settings are kept and have no effect."""

from __future__ import annotations

import sys
from typing import Any

from torch._compiler_settings import Settings
from torch._lazy import names_what_is_absent
from torch.compiler import cudagraph_mark_step_begin  # noqa: F401

config = Settings(
    "torch._inductor.config",
    {
        "debug": False, "max_autotune": False, "max_autotune_gemm": False, "max_autotune_pointwise": False,
        "fx_graph_cache": True, "fx_graph_remote_cache": None, "coordinate_descent_tuning": False,
        "coordinate_descent_check_all_directions": False, "epilogue_fusion": True, "conv_1x1_as_mm": False,
        "force_fuse_int_mm_with_mul": False, "use_mixed_mm": True, "shape_padding": True, "permute_fusion": False,
        "compile_threads": 1, "freezing": False, "cpp_wrapper": False, "fallback_random": False, "split_reductions": True,
        "unique_kernel_names": False, "allow_buffer_reuse": True, "reorder_for_compute_comm_overlap": False,
        "layout_optimization": True, "dce": False, "size_asserts": True, "inplace_padding": True, "emulate_precision_casts":
        False, "max_autotune_gemm_backends": "ATEN,TRITON,CPP",
    },
)  # fmt: skip
sys.modules[config.__name__] = config


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings that the modes of `torch.compile` stand for: none has an effect.

    Args:
        mode (str, optional): one mode
        dynamic (bool, optional): of no effect
    """
    from torch._compile import _MODES

    modes: dict[str, Any] = {name: {} for name in _MODES}
    if mode is None:
        return modes
    if mode not in modes:
        raise RuntimeError(f"torch._inductor.list_mode_options: unknown mode {mode!r}, expected one of {', '.join(modes)}")
    return modes[mode]


def list_options() -> list[str]:
    """The names of all settings."""
    return sorted(config._names)


def compile(*args: Any, **kwargs: Any) -> Any:
    """Compile a graph, which cannot be done."""
    raise NotImplementedError("torch._inductor.compile: this version of torch has no compiler")


names_what_is_absent(__name__)
