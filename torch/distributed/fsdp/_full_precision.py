"""Modules that compute in full precision among others in low precision, such as batch normalization.

FullyShardedDataParallel wraps them on their own. Their arguments are cast to float32, and their results back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree


def wrap(
    root: nn.Module, ignored: set[nn.Module], precision: Any, settings: dict[str, Any], make: Callable[..., nn.Module]
) -> Iterator[nn.Module]:  # fmt: skip
    """Wraps the modules inside of `root` whose classes `precision` leaves out, and gives all modules of the wrappers."""
    classes = tuple(precision._module_classes_to_ignore or ())
    if not classes or precision.param_dtype is None:
        return
    for parent in list(root.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, classes) and child not in ignored and not hasattr(parent, "_fsdp_state"):
                wrapper = make(child, **{**settings, "mixed_precision": None})
                wrapper._keeps_full_precision = True  # type: ignore[assignment]
                _cast_around(wrapper)
                parent._modules[name] = wrapper
                yield from wrapper.modules()


def _cast_around(module: nn.Module) -> None:
    dtypes: list[torch.dtype] = []

    def is_float(x: Any) -> bool:
        return isinstance(x, torch.Tensor) and x.is_floating_point()

    def before(module: nn.Module, args: Any, kwargs: Any) -> Any:
        dtypes[:] = [x.dtype for x in pytree.tree_leaves((args, kwargs)) if is_float(x)]
        return pytree.tree_map(lambda x: x.float() if is_float(x) else x, (args, kwargs))

    def after(module: nn.Module, args: Any, output: Any) -> Any:
        return pytree.tree_map(lambda x: x.to(dtypes[0]) if dtypes and is_float(x) else x, output)

    module.register_forward_pre_hook(before, prepend=True, with_kwargs=True)
    module.register_forward_hook(after)


def other_buffers(module: nn.Module) -> Iterator[torch.Tensor]:
    """The buffers of all modules inside but those that keep full precision."""
    if getattr(module, "_keeps_full_precision", False):
        return
    yield from module.buffers(recurse=False)
    for child in module.children():
        yield from other_buffers(child)
