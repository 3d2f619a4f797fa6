"""Methods of Tensor from PyTorch's first years."""

import pytest

import torch


def test_functions_of_elements():
    assert torch.arange(3).apply_(lambda v: v + 0.7).tolist() == [0, 1, 2]
    assert torch.tensor([True, False]).apply_(lambda v: not v).tolist() == [False, True]
    x = torch.zeros(2, 2)
    assert x.t().apply_(lambda v: v + 1) is not None and x.sum() == 4
    assert x.map_(torch.arange(2.0), lambda a, b: a + b).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert x.map2_(x, torch.ones(2), lambda a, b, c: a + b + c).tolist() == [[3.0, 5.0], [3.0, 5.0]]
    assert torch.ones(2, device="meta").apply_(lambda v: v).is_meta
    assert torch.empty(0).apply_(lambda v: v).shape == (0,)
    with pytest.raises(TypeError):
        x.apply_(lambda v: "a")
    with pytest.raises(TypeError):
        x.apply_(3)
    with pytest.raises(RuntimeError, match="autograd"):
        torch.ones(2, requires_grad=True).apply_(lambda v: v)
    with pytest.raises(TypeError, match="float32"):
        x.map_(torch.ones(2, dtype=torch.int64), lambda a, b: a)
    with pytest.raises(ZeroDivisionError):
        x.apply_(lambda v: v / 0)


def test_old_constructor():
    x = torch.ones(1, dtype=torch.float64)
    assert x.new().shape == (0,) and x.new(2, 3).shape == (2, 3) and x.new(torch.Size([2])).shape == (2,)
    assert x.new([1, 2]).dtype == torch.float64 and x.new(x).data_ptr() == x.data_ptr()
    assert x.new(x.untyped_storage()).tolist() == [1.0]
    assert torch.ones(1, dtype=torch.int8).new((3,)).tolist() == [3]
    with pytest.raises(TypeError, match="float64"):
        x.new(torch.ones(1))
    with pytest.raises(TypeError, match="str"):
        x.new("a")
    with pytest.raises(TypeError, match="dtype"):
        x.new(2, dtype=torch.int8)


def test_old_names():
    x = torch.arange(4.0)
    assert x.resize(2, 2).shape == (2, 2) and x.resize((4, 1)).shape == (4, 1) and x.resize_as(torch.ones(2, 2)).shape == (2, 2)
    with pytest.raises(RuntimeError, match="5 elements"):
        x.resize(5)
    assert x.__div__(2).tolist() == x.div(2).tolist() and x.__rdiv__(2)[2] == 1 and x.clone().__idiv__(2)[2] == 1
    assert torch.tensor(3.7).__long__() == 3 and torch.tensor(3.7).__nonzero__() is True
    assert x.volatile is False and not x.is_distributed() and x.const_data_ptr() == x.data_ptr()


def test_what_needs_a_device_or_was_removed():
    x = torch.ones(1)
    with pytest.raises(RuntimeError, match="pinned"):
        x.pin_memory()
    with pytest.raises(RuntimeError, match="streams"):
        x.record_stream(None)
    with pytest.raises(RuntimeError, match="distributions"):
        x.reinforce(1)
