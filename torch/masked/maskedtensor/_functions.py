"""What functions and methods of tensors do with masked tensors, by their names."""

from __future__ import annotations

import torch
from torch.masked import _ops
from torch.masked.maskedtensor.core import MaskedTensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor

# One masked tensor: the function acts on the data, the mask stays.
UNARY = frozenset("""
abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil clamp clip
conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix float_power floor frac isfinite isinf isnan isneginf
isposinf isreal lgamma log log10 log1p log2 logit i0 nan_to_num neg negative positive pow rad2deg reciprocal relu round rsqrt
sigmoid sign sgn signbit sin sinc sinh sqrt square tan tanh trunc logical_not
__neg__ __pos__ __abs__ __invert__
to type float double half bfloat16 int long short char byte bool clone detach contiguous requires_grad_ to_dense
ones_like zeros_like full_like empty_like rand_like randn_like
""".split())  # fmt: skip

# Two tensors, one or both masked: the masks must be equal.
BINARY = frozenset("""
add atan2 arctan2 bitwise_or bitwise_and bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide fmod
logaddexp logaddexp2 logical_and logical_or logical_xor mul multiply nextafter remainder sub subtract true_divide eq equal_to ne
not_equal le less_equal ge greater_equal greater gt less lt less_than maximum minimum fmax fmin xlogy pow float_power rsub
__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __div__ __rdiv__ __floordiv__ __rfloordiv__ __mod__
__rmod__ __pow__ __rpow__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __xor__ __rand__ __ror__ __rxor__
__lshift__ __rshift__
""".split())  # fmt: skip

# Data and mask alike.
VIEWS = frozenset("""
view reshape flatten unflatten select narrow transpose swapaxes swapdims t permute movedim moveaxis expand expand_as unsqueeze
squeeze unbind split split_with_sizes tensor_split chunk index_select gather flip roll repeat tile diagonal ravel view_as
reshape_as broadcast_to unfold rot90 take __getitem__ __iter__
""".split())  # fmt: skip

REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    name: getattr(_ops, name)
    for name in "sum mean prod amax amin argmax argmin std var logsumexp softmax log_softmax cumsum cumprod median".split()
}
_SAME_SHAPE = frozenset("softmax log_softmax cumsum cumprod".split())

# Facts about a tensor, and autograd: the data answer.
ABOUT = frozenset("""
size stride dim ndimension numel nelement element_size is_contiguous is_floating_point is_complex is_signed storage_offset
get_device data_ptr backward retain_grad register_hook is_same_size is_set_to __len__ __hash__ __format__ untyped_storage
is_nonzero_shape _backward_hooks is_inference is_conj is_neg dim_order register_post_accumulate_grad_hook
""".split())  # fmt: skip


def plain(value: Any) -> Any:
    """Data in place of masked tensors, in lists and tuples too."""
    if isinstance(value, MaskedTensor):
        return value.get_data()
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(plain(item) for item in value)
    return value


def masks_of(values: Any) -> list[Tensor]:
    return [value.get_mask() for value in values if isinstance(value, MaskedTensor)]


def masked(data: Any, mask: Any) -> Any:
    """The masked tensor of a result, or of each of several."""
    if isinstance(data, (list, tuple)):
        return type(data)(masked(one, its_mask) for one, its_mask in zip(data, mask))
    return MaskedTensor._from_values(data, mask)


def elementwise(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    masks = masks_of([*args, *kwargs.values()])
    first = masks[0]
    for other in masks[1:]:
        if other.shape != first.shape or not torch.equal(other, first):
            raise ValueError(f"{name}(): the masks of the masked tensors must be equal; combine them with to_tensor() otherwise")
    if name[-1] == "_" and name[-2:] != "__":
        if not isinstance(args[0], MaskedTensor):
            raise TypeError(f"{name}(): a masked tensor cannot be written into a tensor without a mask; write its to_tensor()")
        func(args[0].get_data(), *plain(args[1:]), **{key: plain(value) for key, value in kwargs.items()})
        return args[0]
    result = func(*plain(args), **{key: plain(value) for key, value in kwargs.items()})
    if not isinstance(result, torch.Tensor):  # type() without arguments
        return result
    return masked(result, first if first.shape == result.shape else first.broadcast_to(result.shape))


def view(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    if not isinstance(args[0], MaskedTensor):
        raise TypeError(f"{name}(): an index cannot be a masked tensor")
    if name == "__iter__":
        return iter(view(torch.unbind, "unbind", args, kwargs))
    rest = [arg.get_data() if isinstance(arg, MaskedTensor) else arg for arg in args[1:]]  # of which expand_as takes the shape
    return masked(func(args[0].get_data(), *rest, **kwargs), func(args[0].get_mask(), *rest, **kwargs))


def reduce(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    data, mask = args[0].get_data(), args[0].get_mask()
    if name == "all":
        result = func(data | ~mask if data.dtype is torch.bool else (data != 0) | ~mask, *args[1:], **kwargs)
        return masked(result, func_any(mask, *args[1:], **kwargs))
    if name == "norm":
        kwargs = {"ord" if key == "p" else key: value for key, value in kwargs.items()}
        order, *rest = args[1:] or [kwargs.pop("ord", 2.0)]
        result = _ops.norm(data, order, *rest, mask=mask, **kwargs)
        return masked(result, _ops._output_mask("norm", data, order, *rest, mask=mask, **kwargs))
    operator = REDUCTIONS[name]
    if name in ("std", "var") and args[1:] and isinstance(args[1], bool):  # std(unbiased)
        args = (args[0], None, *args[1:])
    if name == "median" and len(args) == 1 and "dim" not in kwargs:
        data, mask = data.flatten(), mask.flatten()
    result = operator(data, *args[1:], mask=mask, **kwargs)
    if name in _SAME_SHAPE:
        return masked(result, mask)
    dims = args[1:2] if len(args) > 1 else ()
    return masked(result, _ops._output_mask(name, data, *dims, mask=mask, **kwargs))


def func_any(mask: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return mask.any() if dim is None else mask.any(dim, keepdim)


def join(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    """cat and stack: a tensor without a mask counts as whole."""
    tensors = args[0]
    masks = [t.get_mask() if isinstance(t, MaskedTensor) else torch.ones_like(t, dtype=torch.bool) for t in tensors]
    return masked(func(plain(tensors), *args[1:], **kwargs), func(masks, *args[1:], **kwargs))


def where(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    if len(args) != 3 or kwargs:
        raise TypeError("where(): with masked tensors, the arguments are condition, input, other")
    condition, *branches = args
    if isinstance(condition, MaskedTensor):
        raise TypeError("where(): the condition must be a tensor without a mask")
    data = func(condition, *plain(branches))
    masks = [b.get_mask() if isinstance(b, MaskedTensor) else torch.ones_like(data, dtype=torch.bool) for b in branches]
    return masked(data, func(condition, *masks))


def item(func: Any, name: str, args: Any, kwargs: Any) -> Any:
    if args[0].numel() == 1 and not args[0].get_mask().all():
        raise ValueError(f"{name}(): the element is masked out")
    return func(args[0].get_data())


SPECIAL: dict[str, Callable[..., Any]] = {
    "cat": join, "concat": join, "concatenate": join, "stack": join, "hstack": join, "vstack": join, "where": where,
    "item": item, "__bool__": item, "__int__": item, "__float__": item, "__index__": item, "norm": reduce, "all": reduce,
}  # fmt: skip


def call(func: Any, args: Any, kwargs: Any) -> Any:
    """What `__torch_function__` of masked tensors does."""
    name = getattr(func, "__name__", "")
    with torch._C.DisableTorchFunctionSubclass():
        if name in ABOUT or name in ("__get__", "__set__", "__delete__"):
            return func(*args, **kwargs)
        rule = SPECIAL.get(name) or (view if name in VIEWS else reduce if name in REDUCTIONS else None)
        short = name.removesuffix("_") if name[-2:] != "__" else name
        in_place = "__" + name[3:] if name.startswith("__i") and name not in ("__index__", "__iter__", "__invert__") else ""
        if rule is None and (short in UNARY or short in BINARY):
            rule = elementwise
        if rule is None and in_place in BINARY:
            return elementwise(getattr(torch.Tensor, in_place[2:-2].replace("truediv", "div") + "_", func),
                               in_place[2:-2] + "_", args, kwargs)  # fmt: skip
        if rule is not None:
            return rule(func, name, args, kwargs)
    raise TypeError(f"{name or func}() is not defined for masked tensors; call it with to_tensor(value), or with get_data()")
