"""In-place forms refuse tensors whose elements share memory, and inputs that overlap what is written."""

import pytest
from ops import all_ops

import torch

OPS = [op for op in all_ops() if op.inplace and not op.view]
SHARED = "unsupported operation: more than one element of the written-to tensor"
OVERLAP = "unsupported operation: some elements of the input tensor and the written-to tensor"
# One number fills everything, so elements that share memory get the same value.
ALIKE = {"fill", "zero"}


def copies(s):
    def copy(x):
        return x.clone() if isinstance(x, torch.Tensor) else x

    return [copy(a) for a in s.args], {k: copy(v) for k, v in s.kwargs.items()}


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_expanded_tensors_are_refused(op, device):
    name = op.name.split(".")[-1]
    dtype = torch.float32 if torch.float32 in op.dtypes else op.dtypes[0]
    tried = 0
    for s in op.samples(dtype, device):
        x = s.input
        if not isinstance(x, torch.Tensor) or x.dim() == 0 or x.shape[-1] < 2 or x.numel() > 1000 or x.numel() == 0:
            continue
        expected = op.fn(x, *s.args, **s.kwargs)
        if expected.shape != x.shape or torch.equal(expected, x):  # nothing may be written
            continue
        base = x[..., :1].clone()
        before = base.clone()
        args, kwargs = copies(s)
        tried += 1
        if name in ALIKE:
            getattr(base.expand(x.shape), name + "_")(*args, **kwargs)
            continue
        with pytest.raises(RuntimeError, match=SHARED):
            getattr(base.expand(x.shape), name + "_")(*args, **kwargs)
        assert torch.equal(base, before) or base.isnan().any()
    if not tried:
        pytest.skip("no sample with more than one element in a row")


BINARY = ["add", "mul", "div", "atan2", "copysign", "fmod", "eq", "lt", "ge", "logical_and", "hypot"]


@pytest.mark.parametrize("name", BINARY)
def test_shifted_inputs_are_refused(name):
    base = torch.arange(1.0, 8.0)
    x, shifted = base[:-1].view(2, 3), base[1:].view(2, 3)
    with pytest.raises(RuntimeError, match=OVERLAP):
        getattr(x, name + "_")(shifted)
    assert torch.equal(base, torch.arange(1.0, 8.0))
    getattr(x, name + "_")(x)  # the same elements are fine


@pytest.mark.parametrize("dtype", [torch.float64, torch.bool, torch.int32])
def test_also_where_the_result_is_converted(dtype):
    base = torch.ones(7, dtype=dtype)
    with pytest.raises(RuntimeError, match=OVERLAP):
        torch.eq(base[:-1], base[1:], out=base[:-1])


def test_no_type_is_forced_on_the_base_of_a_power():
    with pytest.raises(RuntimeError, match="dtype"):
        torch.ones(2).float_power_(2)
    assert torch.equal(torch.full((2,), 3.0, dtype=torch.float64).float_power_(2), torch.full((2,), 9.0, dtype=torch.float64))


def test_scatter_without_indices_still_looks():
    with pytest.raises(RuntimeError, match=SHARED):
        torch.zeros(1).expand(4).scatter_(0, torch.empty(0, dtype=torch.int64), torch.empty(0))


@pytest.mark.parametrize("place", [slice(None), slice(0, 2), Ellipsis], ids=str)
def test_an_element_or_row_is_spread_over_its_own_tensor(place):
    x = torch.arange(4.0)
    x[place] = x[1]
    assert x.tolist() == ([1.0, 1.0, 2.0, 3.0] if place == slice(0, 2) else [1.0] * 4)
    rows = torch.arange(6.0).view(2, 3)
    rows[:] = rows[1]
    assert rows.tolist() == [[3.0, 4.0, 5.0]] * 2
    leaf = torch.arange(4.0, requires_grad=True)
    y = leaf * 1
    y[place] = y[1]
    y.sum().backward()
    assert leaf.grad.tolist() == ([0.0, 2.0, 1.0, 1.0] if place == slice(0, 2) else [0.0, 4.0, 0.0, 0.0])
    with pytest.raises(RuntimeError, match="single memory location"):
        x[0:3] = x[1:4]
