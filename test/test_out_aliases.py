"""An out= that overlaps an input is refused or gets the right result; the same holds for self of an in-place form."""

import warnings

import numpy as np
import pytest
from ops import all_ops
from test_ops import first_dtype, tensors

import torch

OPS = [op for op in all_ops() if op.dtypes and op.out and not op.view]
INPLACE = [op for op in all_ops() if op.dtypes and op.inplace and not op.view]
IDS = {"ids": lambda op: op.name}
REFUSED = (RuntimeError, IndexError, TypeError, ValueError)


def places(s):
    """The positions of the tensors in a sample."""
    if isinstance(s.input, (list, tuple)):
        inside = [("input", i) for i, x in enumerate(s.input) if isinstance(x, torch.Tensor)]
    else:
        inside = [("input", None)] if isinstance(s.input, torch.Tensor) else []
    return inside + [("args", i) for i, a in enumerate(s.args) if isinstance(a, torch.Tensor)]


def at(s, place):
    kind, i = place
    value = s.input if kind == "input" else s.args
    return value if i is None else value[i]


def call(op, s, place, x, **kwargs):
    """The operator with x in one place and copies of what the sample has in the others."""

    def copied(v):
        if isinstance(v, (list, tuple)) and any(isinstance(t, torch.Tensor) for t in v):
            return type(v)(copied(t) for t in v)
        return v.clone() if isinstance(v, torch.Tensor) else v

    first, args = copied(s.input), [copied(a) for a in s.args]
    kind, i = place
    if kind == "args":
        args[i] = x
    elif i is None:
        first = x
    else:
        first = [x if k == i else t for k, t in enumerate(first)]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensors(op.fn(first, *args, **{k: copied(v) for k, v in s.kwargs.items()}, **kwargs))


def whole(x, shape):
    """The input itself, whatever its shape."""
    return x, x


def shifted(x, shape):
    """Both in one row of memory, the result starting in the middle of the input."""
    n, count = x.numel(), torch.Size(shape).numel()
    row = torch.zeros(n + count + 1, dtype=x.dtype)
    mine = row[:n].view(x.shape).copy_(x)
    start = max(n // 2, min(1, n))
    return mine, row[start : start + count].view(shape)


def behind(x, shape):
    """The same with the input starting in the middle of the result."""
    n, count = x.numel(), torch.Size(shape).numel()
    row = torch.zeros(n + count + 1, dtype=x.dtype)
    start = count // 2
    return row[start : start + n].view(x.shape).copy_(x), row[:count].view(shape)


def columns(x, shape):
    """Elements of one memory with gaps: the result takes every second place, the input all of them."""
    n, count = x.numel(), torch.Size(shape).numel()
    row = torch.zeros(max(n, 2 * count) + 1, dtype=x.dtype)
    return row[:n].view(x.shape).copy_(x), row[: 2 * count].view(*shape, 2)[..., 0]


def resized(x, shape):
    """An empty view of the input's memory, which is to be resized."""
    return x, x.view(-1)[:0]


@pytest.mark.parametrize("layout", [whole, shifted, behind, columns, resized], ids=lambda f: f.__name__)
@pytest.mark.parametrize("op", OPS, **IDS)
def test_out_shares_memory_with_an_input(op, layout, device):
    for s in op.samples(first_dtype(op), device):
        for place in places(s):
            given = at(s, place)
            if given.numel() > 1000 or (layout is resized and not given.is_contiguous()):
                continue
            try:
                expected = call(op, s, place, given.clone())
            except REFUSED:
                continue
            for k, like in enumerate(expected):
                if like.dtype != given.dtype:
                    continue
                x, out = layout(given.clone(), like.shape)
                outs = [torch.empty(0, dtype=t.dtype) for t in expected]
                outs[k] = out
                try:
                    call(op, s, place, x, out=tuple(outs) if len(outs) > 1 else out)
                except REFUSED:
                    continue
                for found, right in zip(outs, expected):
                    torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("op", OPS, **IDS)
def test_outputs_share_memory(op, device):
    for s in op.samples(first_dtype(op), device):
        if not places(s):
            continue
        place = places(s)[0]
        expected = call(op, s, place, at(s, place).clone())
        for i, x in enumerate(expected):
            for j, y in enumerate(expected[:i]):
                if x.dtype != y.dtype or not x.numel() or not y.numel():
                    continue
                outs = [torch.empty_like(t) for t in expected]
                outs[i] = outs[j]
                with pytest.raises(RuntimeError, match="share memory"):
                    call(op, s, place, at(s, place).clone(), out=tuple(outs))


@pytest.mark.parametrize("op", INPLACE, **IDS)
def test_self_is_an_argument_too(op, device):
    name = op.name.split(".")[-1] + "_"
    for s in op.samples(first_dtype(op), device):
        for i, a in enumerate(s.args):
            if not isinstance(a, torch.Tensor) or a.dtype != s.input.dtype:
                continue
            if not 0 < a.numel() < 1000 or not s.input.numel():
                continue
            for layout in (whole, shifted, behind, columns):
                x, argument = layout(s.input.clone(), a.shape)
                if argument.shape != a.shape:
                    continue
                args = [v.clone() if isinstance(v, torch.Tensor) else v for v in s.args]
                args[i] = argument
                apart = [v.clone() if isinstance(v, torch.Tensor) else v for v in args]
                try:
                    expected = getattr(x.clone(), name)(*apart, **s.kwargs)
                    getattr(x, name)(*args, **s.kwargs)
                except REFUSED:
                    continue
                torch.testing.assert_close(x, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


def random_view(base, shape, generator):
    """A view of these sizes at a random place with random strides."""
    while True:
        strides = [int(generator.integers(0, 8)) for _ in shape]
        offset = int(generator.integers(0, 12))
        if offset + sum((n - 1) * s for n, s in zip(shape, strides)) < base.numel():
            return base.as_strided(shape, strides, offset)


CHANGES = {
    "add_": lambda x, y: x.add_(y),
    "copy_": lambda x, y: x.copy_(y),
    "mul out": lambda x, y: torch.mul(x, y, out=x),
    "eq_": lambda x, y: x.eq_(y),
    "maximum out": lambda x, y: torch.maximum(y, x, out=x),
}


@pytest.mark.parametrize("change", CHANGES)
def test_random_views_of_one_tensor(change):
    generator = np.random.default_rng(0)
    refused = right = 0
    for _ in range(3000):
        shape = [int(n) for n in generator.integers(1, 4, int(generator.integers(1, 4)))]
        base = torch.arange(1.0, 61.0)
        x = random_view(base, shape, generator)
        y = random_view(base, [n if generator.integers(0, 3) else 1 for n in shape], generator)
        if np.unique(np.arange(60)[np.asarray(as_positions(x))]).size != x.numel():
            continue  # one place twice
        before = base.clone()
        expected = CHANGES[change](x.clone(), y.clone())
        try:
            CHANGES[change](x, y)
        except RuntimeError:
            assert np.intersect1d(as_positions(x), as_positions(y)).size, f"{x.stride()} {y.stride()} have nothing in common"
            assert base.equal(before)
            refused += 1
            continue
        assert x.equal(expected), f"{x.shape} {x.stride()} {x.storage_offset()}, {y.shape} {y.stride()} {y.storage_offset()}"
        right += 1
    assert refused > 5 and right > 500


def as_positions(t):
    """The positions of a tensor's elements in its storage."""
    return torch.arange(t.untyped_storage().nbytes() // 4).as_strided(t.shape, t.stride(), t.storage_offset()).reshape(-1).numpy()
