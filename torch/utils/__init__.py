"""Utilities; each sub-module is imported on first touch."""

from __future__ import annotations

import os as _os

from torch._lazy import lazy as _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

# For find_package(Torch): -DCMAKE_PREFIX_PATH=...
cmake_prefix_path = _os.path.join(_os.path.dirname(_os.path.dirname(__file__)), "share", "cmake")

_SUBMODULES = (
    "backcompat backend_registration benchmark bundled_inputs checkpoint collect_env cpp_backtrace cpp_extension data "
    "deterministic dlpack explain file_baton flop_counter hooks jit mkldnn mobile_optimizer model_dump model_zoo module_tracker "
    "serialization show_pickle throughput_benchmark viz weak _contextlib _device _foreach_utils _python_dispatch "
    "_pytree"
).split()

__getattr__, __dir__ = _lazy(
    __name__,
    _SUBMODULES,
    {
        "dispatch_trace": "torch.utils._dispatch_trace",
        "generate_methods_for_privateuse1_backend": "torch.utils.backend_registration",
        "rename_privateuse1_backend": "torch.utils.backend_registration",
        "swap_tensors": "torch.utils._swap",
    },
)


def set_module(obj: Any, mod: str) -> None:
    """Let a class or function say that it lives in another module.

    Args:
        obj (class or function): what says it
        mod (str): the module's name

    Example:
        >>> class Thing: ...
        >>> torch.utils.set_module(Thing, "things")
        >>> Thing.__module__
        'things'
    """
    obj.__module__ = mod
