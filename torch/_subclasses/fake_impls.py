"""What fake tensors need to know of an operator beyond its kernel on the meta device."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._schema_aliases import _ALIAS

aten = torch.ops.aten

# The shape of the result depends on elements.
_DYNAMIC_SHAPE = frozenset(
    "nonzero masked_select _unique _unique2 unique_dim unique_consecutive unique_dim_consecutive bincount argwhere "
    "_rowwise_prune".split()
)
# A number, a truth value or the choice of a path depends on elements.
_DATA_DEPENDENT = frozenset(
    "_local_scalar_dense item is_nonzero equal allclose _is_all_true _is_any_true".split()
)  # fmt: skip
LIFTS = frozenset({"lift", "lift_fresh", "lift_fresh_copy"})
# The devices of the other arguments may differ from that of the first one, which the result has.
_DEVICE_OF_FIRST = frozenset(
    "copy_ copy index _unsafe_index index_put index_put_ _index_put_impl _index_put_impl_ _unsafe_index_put set_ set "
    "_unsafe_masked_index _unsafe_masked_index_put_accumulate resize_as_ resize_as".split()
)  # fmt: skip
_MASKED_INDEX = frozenset({"index", "_unsafe_index"})


class OperatorInfo:
    """What the schema and the lists above say about one overload."""

    def __init__(self, func: Any) -> None:
        schema = func._schema
        self.func = func
        name = self.name = schema.name.split("::")[-1]
        arguments = schema.arguments
        self.names = [a.name for a in arguments]
        self.takes_device = "device" in self.names and name != "_to_cpu"
        self.takes_generator = "generator" in self.names
        self.mutated = [k for k, a in enumerate(arguments) if (m := _ALIAS.search(str(a.type))) and m[2]]
        self.is_lift = name in LIFTS
        is_aten = schema.name.startswith("aten::")
        self.dynamic_shape = is_aten and (name in _DYNAMIC_SHAPE or (name == "repeat_interleave" and self.names[0] == "repeats"))
        self.data_dependent = is_aten and name in _DATA_DEPENDENT
        self.device_of_first = is_aten and name in _DEVICE_OF_FIRST
        self.of_lists = is_aten and name.startswith(("_foreach_", "_fused_", "_amp_"))
        self.may_mask = is_aten and name in _MASKED_INDEX
        self.is_random = self.takes_generator or "seeded" in str(getattr(func, "tags", ""))
        self.replacement = replacement_of(func)
        self.is_pinned = is_aten and name in ("is_pinned", "_pin_memory", "pin_memory")

    def argument(self, position: int, args: Any, kwargs: Any) -> Any:
        """The argument at a position of the schema, or None."""
        return args[position] if position < len(args) else kwargs.get(self.names[position])

    def is_masked(self, args: Any, kwargs: Any) -> bool:
        """Whether an index is a mask, so that the shape depends on its elements."""
        indices = self.argument(1, args, kwargs)
        return any(isinstance(i, torch.Tensor) and i.dtype in (torch.bool, torch.uint8) for i in indices)


# --- operators whose kernels read numbers that the shape does not depend on, or that have none on the meta device ---------------


def _number_for_lr(func: Any, args: Any, kwargs: Any) -> Any:
    """`_fused_adam_.tensor_lr` is `_fused_adam_` with a number."""
    overload = func._overloadname.removeprefix("tensor_lr").removeprefix("_") or "default"
    out = getattr(func._overloadpacket, overload)(*args, **{**kwargs, "lr": 0.0})
    return out if out is None else out[: len(func._schema.returns)]


def _numbers_for_scalars(func: Any, args: Any, kwargs: Any) -> Any:
    """`_foreach_addcmul.Tensor` is `_foreach_addcmul.ScalarList` with numbers from a tensor."""
    return func._overloadpacket.ScalarList(*args[:3], [1.0] * len(args[0]))


def _number_for_ends(func: Any, args: Any, kwargs: Any) -> Any:
    """`linspace` and `logspace` between tensors have the shape of those between numbers."""
    ends = [0.0 if isinstance(a, torch.Tensor) else a for a in args[:2]]
    return func._overloadpacket.default(*ends, *args[2:], **{**kwargs, "device": "meta"})


def _grid_gradients(func: Any, args: Any, kwargs: Any) -> Any:
    """The gradients by the image, where it is asked for, and by the grid."""
    _, image, grid = args[:3]
    mask = kwargs.get("output_mask", args[-1])
    return torch.empty(image.shape, dtype=image.dtype, device="meta") if mask[0] else None, torch.empty_like(grid)


def replacement_of(func: Any) -> Any:
    """A function (func, args, kwargs) for meta tensors, which stands for the operator's kernel; None for most operators."""
    name, overload = func._schema.name, func._overloadname
    if name.startswith("aten::_fused_") and overload.startswith("tensor_lr"):
        return _number_for_lr
    if name.removesuffix("_") in ("aten::_foreach_addcmul", "aten::_foreach_addcdiv") and overload == "Tensor":
        return _numbers_for_scalars
    if name in ("aten::linspace", "aten::logspace") and "Tensor" in overload:
        return _number_for_ends
    return _grid_gradients if name in ("aten::grid_sampler_2d_backward", "aten::grid_sampler_3d_backward") else None


_known: dict[Any, OperatorInfo] = {}


def info_of(func: Any) -> OperatorInfo:
    """What is known of an overload; found once."""
    found = _known.get(func)
    if found is None:
        found = _known[func] = OperatorInfo(func)
    return found
