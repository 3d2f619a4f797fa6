"""Operators that tell what a tensor is, on tensors whose answers differ."""

import pytest

import torch

ATEN = torch.ops.aten
TYPES = (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.float64, torch.complex64)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    x = torch.ones(2, dtype=dtype)
    assert ATEN.is_complex(x) == dtype.is_complex and ATEN.is_floating_point(x) == dtype.is_floating_point
    assert ATEN.is_signed(x) == dtype.is_signed and ATEN.element_size(x) == dtype.itemsize
    for other in TYPES:
        y = torch.ones((), dtype=other)
        assert ATEN.result_type.Tensor(x, y) == (x + y).dtype
    for number in (True, 2, 1.5, 2j):
        assert ATEN.result_type.Scalar(x, number) == (x + number).dtype == ATEN.result_type.Scalar_Tensor(number, x)


def test_layout_and_memory():
    x = torch.arange(12).view(3, 4)
    assert [ATEN.is_contiguous(t) for t in (x, x.t(), x[:, :2])] == [True, False, False]
    assert [ATEN.is_non_overlapping_and_dense(t) for t in (x, x.t(), x[:, :2])] == [True, True, False]
    assert [ATEN._debug_has_internal_overlap(t) for t in (x, x[0, :1].expand(4), x[:, :2])] == [0, 1, 2]
    assert (ATEN.storage_offset(x[1]), ATEN.stride.int(x, 0), ATEN.size.int(x, -1)) == (4, 4, 4)
    assert x.is_set_to(x.view(3, 4)) and not x.is_set_to(x[:2]) and not x.is_set_to(x.clone())
    assert ATEN._has_same_storage_numel(x, x[:1]) and not ATEN._has_same_storage_numel(x, x[:1].clone())
    image = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert ATEN.is_strides_like_format(image, torch.channels_last) and ATEN.is_contiguous.memory_format(
        image, torch.channels_last
    )


def test_place_in_the_graph():
    leaf = torch.ones(2, requires_grad=True)
    product = leaf * 2
    product.retain_grad()
    low, high = torch.ones(4, requires_grad=True).split(2)
    assert [ATEN.is_leaf(t) for t in (leaf, product)] == [True, False]
    assert [ATEN.retains_grad(t) for t in (leaf, product)] == [False, True]
    assert [ATEN.output_nr(t) for t in (low, high)] == [0, 1]
    version = ATEN._version(product)
    product.mul_(1)
    assert ATEN._version(product) == version + 1
    with torch.inference_mode():
        assert ATEN.is_inference(torch.ones(2))
    data = ATEN.data(product)
    assert data.data_ptr() == product.data_ptr() and not data.requires_grad


def test_results_of_overloads_have_their_own_names():
    """Overloads of one operator may return another number of results."""
    x, step = [torch.ones(2)], [torch.ones(())]
    settings = {"lr_decay": 0.0, "weight_decay": 0.0, "eps": 1e-8, "maximize": False}
    assert len(ATEN._fused_adagrad(x, x, x, step, lr=0.1, **settings)) == 4
    assert len(ATEN._fused_adagrad.tensor_lr(x, x, x, step, lr=torch.tensor(0.1), **settings)) == 3


def test_grad_dtype():
    x = torch.ones(3, requires_grad=True)
    assert x.grad_dtype == torch.float32
    x.grad_dtype = torch.bfloat16
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    assert x.grad.dtype == torch.bfloat16 and x.grad.tolist() == [5, 5, 5]
    with pytest.raises(RuntimeError, match="set .grad to None"):
        x.grad_dtype = torch.float32
    with pytest.raises(RuntimeError, match="grad_dtype is bfloat16"):
        x.grad = torch.ones(3)
    x.grad = None
    x.grad_dtype = torch.float64
    assert torch.autograd.grad(x.sum(), x)[0].dtype == torch.float64
    assert x.detach().grad_dtype == torch.float32


def test_grad_dtype_of_any_kind():
    x = torch.ones(3, requires_grad=True)
    accumulator = torch.autograd.graph.get_gradient_edge(x).node  # made before the dtype is set
    x.grad_dtype = None
    assert x.grad_dtype is None and accumulator.name().endswith("AccumulateGrad")

    class ToDouble(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad.double()

    ToDouble.apply(x).sum().backward()
    assert x.grad.dtype == torch.float64
    x.grad = torch.ones(3, dtype=torch.float16)
    assert x.grad.dtype == torch.float16


def test_grad_dtype_refusals():
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match="got str"):
        x.grad_dtype = "float32"
    with pytest.raises(RuntimeError, match="cannot be deleted"):
        del x.grad_dtype
    for use in (lambda t: t.grad_dtype, lambda t: setattr(t, "grad_dtype", None)):
        with pytest.raises(RuntimeError, match="only leaves"):
            use(x * 2)
