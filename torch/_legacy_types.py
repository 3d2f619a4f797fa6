"""`torch.FloatTensor` and its kin: names of a dtype that also build tensors and answer isinstance."""

import torch

_DTYPES = {
    "ByteTensor": torch.uint8, "CharTensor": torch.int8, "ShortTensor": torch.int16, "IntTensor": torch.int32,
    "LongTensor": torch.int64, "HalfTensor": torch.float16, "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "BoolTensor": torch.bool, "BFloat16Tensor": torch.bfloat16,
}


class tensortype(type):
    """Class of the legacy types: calling one builds a tensor of its dtype on the CPU."""

    def __call__(cls, *args, device=None):
        if device is not None and torch.device(device).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was "
                               "passed")
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            if args[0].dtype != cls.dtype:
                raise TypeError(f"expected {cls.__name__} (got {args[0].type()})")
            return args[0].detach()
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device="cpu")
        sizes = args[0] if args and isinstance(args[0], torch.Size) else args or (0,)
        return torch.empty(sizes, dtype=cls.dtype, device="cpu")

    def __instancecheck__(cls, instance):
        return isinstance(instance,
                          torch.Tensor) and instance.dtype == cls.dtype and instance.device.type == "cpu"

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


for _name, _dtype in _DTYPES.items():
    globals()[_name] = tensortype(_name, (), {
        "__module__": "torch", "dtype": _dtype, "layout": torch.strided, "is_cuda": False,
        "is_sparse": False})


def set_default_tensor_type(t, /):
    """Set the default dtype by the name or class of a legacy floating point type."""
    name = t if isinstance(t, str) else f"torch.{t.__name__}"
    kind = _DTYPES.get(name.rsplit(".", 1)[-1])
    if kind is None or not name.startswith("torch.") or name.count(".") != 1:
        raise TypeError(f"invalid type object: {t!r}; expected a CPU tensor type such as torch.DoubleTensor")
    if not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    torch.set_default_dtype(kind)
