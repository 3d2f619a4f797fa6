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
    """Class of the legacy types: calling one builds a tensor of its dtype on the CPU."""

    def __call__(cls, *args, device=None):
        if device is not None and torch.device(device).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was passed")
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            if args[0].dtype != cls.dtype:
                raise TypeError(f"expected {cls.__name__} (got {args[0].type()})")
            return args[0].detach()
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device="cpu")
        sizes = args[0] if args and isinstance(args[0], torch.Size) else args or (0,)
        return torch.empty(sizes, dtype=cls.dtype, device="cpu")

    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and instance.dtype == cls.dtype and instance.device.type == "cpu"

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


def _doc(name: str, dtype: torch.dtype) -> str:
    return f"""The old name of {dtype} on the CPU, which also makes tensors and answers `isinstance`.

Args:
    *args (int, Sequence or Tensor): the lengths of dimensions, or values
    device (device, optional): the CPU

Raises:
    RuntimeError: another device
    TypeError: a tensor of another dtype

Example:
    >>> torch.{name}(2, 3).shape, isinstance(torch.empty(2, dtype={dtype}), torch.{name})
    (torch.Size([2, 3]), True)
"""


for _name, _dtype in _DTYPES.items():
    globals()[_name] = tensortype(
        _name,
        (),
        {
            "__module__": "torch",
            "__doc__": _doc(_name, _dtype),
            "dtype": _dtype,
            "layout": torch.strided,
            "is_cuda": False,
            "is_sparse": False,
        },
    )


def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype by a legacy floating point type.

    Args:
        t (type or str): the class, or its name

    Raises:
        TypeError: it is no floating point type on the CPU

    Example:
        >>> torch.set_default_tensor_type("torch.DoubleTensor")
        >>> torch.get_default_dtype()
        torch.float64
        >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    name = t if isinstance(t, str) else f"torch.{t.__name__}"
    kind = _DTYPES.get(name.rsplit(".", 1)[-1])
    if kind is None or not name.startswith("torch.") or name.count(".") != 1:
        raise TypeError(f"invalid type object: {t!r}; expected a CPU tensor type such as torch.DoubleTensor")
    if not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    torch.set_default_dtype(kind)
