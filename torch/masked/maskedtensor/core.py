"""The class of masked tensors. What its operators do is in `_functions`."""

from __future__ import annotations

import warnings

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import TypeIs

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


__all__ = ["MaskedTensor", "is_masked_tensor"]

_DTYPES = frozenset(
    [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
     torch.float64]
)  # fmt: skip


def is_masked_tensor(obj: Any, /) -> TypeIs[MaskedTensor]:
    """Whether an object is a MaskedTensor.

    Args:
        obj (Any): what is asked about

    Returns:
        True if it is one

    Example:
        >>> torch.masked.is_masked_tensor(torch.ones(2))
        False
    """
    return isinstance(obj, MaskedTensor)


class MaskedTensor(torch.Tensor):
    """A tensor with a mask: elements where the mask is False are not there.

    Elementwise functions keep the mask, and those of two masked tensors need equal masks. Reductions leave masked elements out,
    and an element of a result is masked out if all that it comes from are. Views act on data and mask alike. Other operators
    raise TypeError.

    Args:
        data (Tensor): the elements, which are copied
        mask (Tensor): bools of the same shape, True where an element is there
        requires_grad (bool, default False): whether gradients are recorded

    Example:
        >>> x = torch.masked.MaskedTensor(torch.arange(4.0), torch.tensor([True, True, False, True]))
        >>> x * 2
        MaskedTensor(
          [  0.0000,   2.0000,       --,   6.0000]
        )
        >>> x.sum().to_tensor(0)
        tensor(4.)
    """

    _mask: Tensor

    def __new__(cls, data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
        cls._validate(data, mask)
        if data.requires_grad:
            warnings.warn("MaskedTensor copies its data and passes no gradients on to them; as_masked_tensor does", stacklevel=2)
        made = torch.Tensor._make_subclass(cls, data.detach().clone(), requires_grad)
        made._mask = mask.detach().clone()
        return made

    def __init__(self, data: Tensor, mask: Tensor, requires_grad: bool = False) -> None:
        """Everything is set by __new__."""

    @staticmethod
    def _validate(data: Any, mask: Any) -> None:
        """Raise an error if these are no data and mask of a masked tensor."""
        for name, value in (("data", data), ("mask", mask)):
            if not isinstance(value, torch.Tensor) or isinstance(value, MaskedTensor):
                raise TypeError(f"MaskedTensor: {name} must be a Tensor, got {type(value).__name__}")
        if mask.dtype is not torch.bool:
            raise TypeError(f"MaskedTensor: mask must be of dtype torch.bool, got {mask.dtype}")
        if data.dtype not in _DTYPES:
            raise TypeError(f"MaskedTensor: data of {data.dtype} are not supported")
        if data.shape != mask.shape:
            raise ValueError(f"MaskedTensor: data and mask must have the same shape, got {data.shape} and {mask.shape}")

    @staticmethod
    def _from_values(data: Tensor, mask: Tensor) -> MaskedTensor:
        """A masked tensor of these data, with their history for autograd."""
        with torch._C.DisableTorchFunctionSubclass():
            made = data.as_subclass(MaskedTensor)
        made._mask = mask
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from torch.masked.maskedtensor._functions import call

        return call(func, args, kwargs or {})

    def get_data(self) -> Tensor:
        """The elements, with whatever stands where they are masked out.

        Returns:
            a Tensor
        """
        with torch._C.DisableTorchFunctionSubclass():
            return self.as_subclass(torch.Tensor)

    def get_mask(self) -> Tensor:
        """The mask.

        Returns:
            a Tensor of bools
        """
        return self._mask

    def to_tensor(self, value: float) -> Tensor:
        """The elements, with a value where they are masked out.

        Args:
            value (Number): what stands there

        Returns:
            a Tensor
        """
        return self.get_data().masked_fill(~self._mask, value)

    def _transposed(self, name: str) -> MaskedTensor:
        with torch._C.DisableTorchFunctionSubclass():
            return self._from_values(getattr(self.get_data(), name), getattr(self._mask, name))

    @property
    def T(self) -> MaskedTensor:  # type: ignore[override]
        """The transpose."""
        return self._transposed("T")

    @property
    def mT(self) -> MaskedTensor:  # type: ignore[override]
        """The transpose of the last two dimensions."""
        return self._transposed("mT")

    @property
    def grad(self) -> Any:
        """The gradient, with the same mask; None before a backward pass."""
        found = torch.Tensor.grad.__get__(self)
        return None if found is None else self._from_values(found, self._mask)

    @grad.setter
    def grad(self, value: Any) -> None:
        torch.Tensor.grad.__set__(self, value.get_data() if isinstance(value, MaskedTensor) else value)

    def __deepcopy__(self, memo: dict[int, Any]) -> MaskedTensor:
        copied = MaskedTensor(self.get_data().detach(), self._mask, self.requires_grad)
        memo[id(self)] = copied
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        return MaskedTensor, (self.get_data().detach(), self._mask, self.requires_grad)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self.get_data().detach(), self._mask
        form = "{:8.4f}" if data.is_floating_point() else "{}"
        values = [form.format(value) for value in data.flatten().tolist()]
        if not self.dim():
            return f"MaskedTensor({values[0] if mask else '--'}, {bool(mask)})"
        elements = iter(zip(values, mask.flatten().tolist()))

        def block(shape: Any, indent: str) -> str:
            if len(shape) == 1:
                row = [next(elements) for _ in range(shape[0])]
                width = max([8, *[len(text) for text, inside in row if inside]])
                return indent + "[" + ", ".join(text if inside else "--".rjust(width) for text, inside in row) + "]"
            rows = ",\n".join(block(shape[1:], indent + "  ") for _ in range(shape[0]))
            return f"{indent}[\n{rows}\n{indent}]"

        return f"MaskedTensor(\n{block(self.shape, '  ')}\n)"
