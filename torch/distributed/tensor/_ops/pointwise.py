"""Operators that compute each element on its own."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import WHOLE, Call, Strategy, rule, same
from torch.distributed.tensor.placement_types import Partial, Placement, Shard, _StridedShard

NAMES = """
abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip conj_physical copysign cos cosh deg2rad digamma div
elu elu_backward eq erf erfc erfinv exp exp2 expm1 float_power floor floor_divide fmax fmin fmod frac ge gelu gelu_backward gt
hardshrink hardshrink_backward hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh hardtanh_backward heaviside
hypot i0 isfinite isinf isnan isneginf isposinf ldexp le leaky_relu leaky_relu_backward lerp lgamma log log10 log1p log2
logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit lt masked_fill maximum minimum mish mish_backward mul
nan_to_num ne neg nextafter polygamma positive pow rad2deg reciprocal relu relu6 remainder round rsqrt rsub sgn sigmoid
sigmoid_backward sign signbit silu silu_backward sin sinc sinh softplus softplus_backward softshrink softshrink_backward sqrt
square sub tan tanh tanh_backward threshold threshold_backward trunc where xlogy clone contiguous detach alias lift_fresh lift
_to_copy copy copy_ fill fill_ zero_ bernoulli bernoulli_ uniform_ normal_ exponential_ dropout native_dropout
native_dropout_backward random_ trunc_normal_ true_divide _conj conj resolve_conj
special_expit log_sigmoid_forward log_sigmoid_backward _prelu_kernel rrelu_with_noise
"""

# Sums of parts may be given to these, and make sums of parts: by which of the tensors at once.
_ONE = "neg positive clone contiguous detach alias lift_fresh lift _to_copy copy conj _conj conj_physical deg2rad rad2deg zero_"
_ALL = "add sub copy_ rsub"
_EACH = "mul"
_FIRST = "div true_divide"
LINEAR = {
    name: kind for kind, names in (("one", _ONE), ("all", _ALL), ("each", _EACH), ("first", _FIRST)) for name in names.split()
}


def aligned(placement: Shard, shift: int) -> Shard:
    """The same cut of a tensor with `shift` more dimensions at the front."""
    d = placement.dim + shift
    return _StridedShard(d, placement.split_factor) if isinstance(placement, _StridedShard) else Shard(d)


def elementwise(call: Call, sums: str | None = None) -> Iterator[Strategy]:
    """Cuts of the result that an argument has already, with the arguments broadcast; sums as `sums` says."""
    ndim = max((p.ndim for p in call.parts), default=0)
    if call.results and call.results[0] is not None:
        ndim = len(call.results[0].shape)
    shape = call.results[0].shape if call.results and call.results[0] is not None else None
    seen = set()
    for part in call.parts:
        if isinstance(part.placement, Shard) and shape is not None:
            cut = aligned(part.placement, ndim - part.ndim)
            if cut in seen or cut.dim < 0 or part.shape[part.placement.dim] != shape[cut.dim]:
                continue
            seen.add(cut)
            parts: list[Placement] = []
            for p in call.parts:
                d = cut.dim - (ndim - p.ndim)
                parts.append(aligned(cut, p.ndim - ndim) if d >= 0 and p.shape[d] == shape[cut.dim] else WHOLE)
            yield Strategy((cut,) * len(call.results), tuple(parts))
    for partial in {p.placement for p in call.parts if isinstance(p.placement, Partial)} if sums else ():
        yield from _sums(call, partial, sums or "")


def _sums(call: Call, partial: Partial, kind: str) -> Iterator[Strategy]:
    first, rest = call.parts[0], call.parts[1:]
    if kind in ("one", "first"):
        # What comes after the first argument is the same everywhere.
        if first.placement == partial and (partial.reduce_op in ("sum", "avg") or kind == "one"):
            yield Strategy((partial,), (partial, *(WHOLE for _ in rest)))
    elif kind == "all":
        if len(rest) == 1 and partial.reduce_op in ("sum", "avg"):
            yield same(partial, call)
    elif partial.reduce_op in ("sum", "avg"):
        for k in range(len(call.parts)):
            yield Strategy((partial,), tuple(partial if j == k else WHOLE for j in range(len(call.parts))))


@rule(NAMES)
def pointwise(call: Call) -> Iterator[Strategy]:
    """Any cut; sums where the operator is linear."""
    name = call.func._schema.name.removeprefix("aten::")
    kind = LINEAR.get(name) or LINEAR.get(name.removesuffix("_"))
    if kind in ("first", "each") and call.kwargs.get("rounding_mode") is not None:
        kind = None
    return elementwise(call, kind)
