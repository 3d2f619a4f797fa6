"""`torch.FloatTensor` and similar types: names of a dtype that also build tensors and answer isinstance."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_DTYPES = {
    "ByteTensor": torch.uint8,
    "CharTensor": torch.int8,
    "ShortTensor": torch.int16,
    "IntTensor": torch.int32,
    "LongTensor": torch.int64,
    "HalfTensor": torch.float16,
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "BoolTensor": torch.bool,
    "BFloat16Tensor": torch.bfloat16,
}


class tensortype(type):
    """Class of the legacy types: calling one builds a tensor of its dtype on its kind of device."""

    kind = "cpu"

    def __call__(cls, *args, device=None):
        if device is not None and torch.device(device).type != cls.kind:
            raise RuntimeError(f"legacy constructor expects device type: {cls.kind} but device type: {device} was passed")
        place = cls.kind if device is None else device
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            if args[0].dtype != cls.dtype or args[0].device.type != cls.kind:
                raise TypeError(f"expected {cls.__name__} (got {args[0].type()})")
            return args[0].detach()
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device=place)
        sizes = args[0] if args and isinstance(args[0], torch.Size) else args or (0,)
        return torch.empty(sizes, dtype=cls.dtype, device=place)

    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and instance.dtype == cls.dtype and instance.device.type == cls.kind

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


def _doc(name: str, dtype: torch.dtype, kind: str) -> str:
    example = f"""

Example:
    >>> torch.{name}(2, 3).shape, isinstance(torch.empty(2, dtype={dtype}), torch.{name})
    (torch.Size([2, 3]), True)
"""
    place = "the CPU" if kind == "cpu" else "a GPU"
    return f"""The old name of {dtype} on {place}, which also makes tensors and answers `isinstance`.

Args:
    *args (int, Sequence or Tensor): the lengths of dimensions, or values
    device (device, optional): {"the CPU" if kind == "cpu" else "the GPU; the current one by default"}

Raises:
    RuntimeError: another device
    TypeError: a tensor of another dtype{example if kind == "cpu" else ""}
"""


def make_types(module: str, kind: str) -> dict[str, type]:
    """The classes of a kind of device, by name."""
    return {
        name: tensortype(
            name,
            (),
            {
                "__module__": module,
                "__doc__": _doc(name, dtype, kind),
                "dtype": dtype,
                "kind": kind,
                "layout": torch.strided,
                "is_cuda": kind == "cuda",
                "is_sparse": False,
            },
        )
        for name, dtype in _DTYPES.items()
    }


globals().update(make_types("torch", "cpu"))


def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype, and the default device, by a legacy floating point type.

    Args:
        t (type or str): the class, or its name

    Raises:
        TypeError: it is no floating point type

    Example:
        >>> torch.set_default_tensor_type("torch.DoubleTensor")
        >>> torch.get_default_dtype()
        torch.float64
        >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    name = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}"
    place, _, short = name.rpartition(".")
    found = _DTYPES.get(short)
    if found is None or place not in ("torch", "torch.cuda"):
        raise TypeError(f"invalid type object: {t!r}; expected a tensor type such as torch.DoubleTensor")
    if not found.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if place == "torch.cuda":
        torch.cuda.init()
        torch.set_default_device("cuda")
    elif torch.get_default_device().type == "cuda":
        torch.set_default_device(None)
    torch.set_default_dtype(found)
