"""Gradients, extremes and windows in types that their operators take in PyTorch and programs rarely use."""

import pytest

import torch

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
NONE, MEAN, SUM = 0, 1, 2
smooth_l1 = torch.ops.aten.smooth_l1_loss_backward


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("reduction", (NONE, MEAN, SUM))
def test_losses_of_integers(dtype, reduction):
    def whole(values):
        return torch.tensor(values).to(dtype)

    x, y, grad = whole([1, 5, 9, 2]), whole([0, 7, 3, 2]), whole([3, 1, 2, 4])
    if reduction != NONE:
        grad = grad[0]
    g = grad.tolist() if reduction == NONE else [3] * 4
    # The factor of a mean of four, 2 / 4 or 1 / 4, is rounded towards zero.
    keeps = 0 if reduction == MEAN else 1
    difference = [1, -2, 6, 0]
    mse = torch.ops.aten.mse_loss_backward(grad, x, y, reduction)
    assert mse.dtype == dtype
    assert mse.tolist() == whole([keeps * 2 * d * k for d, k in zip(difference, g)]).tolist()
    smooth = smooth_l1(grad, x, y, reduction, 2.5)
    expected = [keeps * int(k * max(-1.0, min(1.0, d / 2.5))) for d, k in zip(difference, g)]
    assert smooth.dtype == dtype
    assert smooth.tolist() == whole(expected).tolist()


def test_mean_of_one_and_two_integers():
    one, two = torch.tensor([5]), torch.tensor([5, 8])
    assert torch.ops.aten.mse_loss_backward(torch.tensor(3), one, one - 4, MEAN).tolist() == [24]
    assert torch.ops.aten.mse_loss_backward(torch.tensor(3), two, two - 4, MEAN).tolist() == [12, 12]
    # A gradient of two elements makes two of one.
    assert torch.ops.aten.mse_loss_backward(torch.tensor([3, 1]), one, one - 4, NONE).tolist() == [24, 8]


def test_losses_of_integers_are_exact():
    big = 2**53 + 1
    assert torch.ops.aten.mse_loss_backward(torch.tensor([1]), torch.tensor([big]), torch.tensor([0]), NONE).tolist() == [2 * big]
    assert smooth_l1(torch.tensor([big]), torch.tensor([5]), torch.tensor([0]), NONE, 1.0).tolist() == [big]
    # Beyond the type they wrap around.
    far = torch.tensor([2**40])
    assert torch.ops.aten.mse_loss_backward(far, far, torch.tensor([0]), NONE).tolist() == [0]
    # With beta 0 there is no quotient; equal values count as below.
    assert smooth_l1(torch.tensor([3, 1, 5]), torch.tensor([1, 5, 2]), torch.tensor([0, 7, 2]), NONE, 0.0).tolist() == [3, -1, -5]


def test_losses_of_mixed_integers_have_the_type_of_the_input():
    x, y, grad = torch.tensor([1, 5, 9], dtype=torch.uint8), torch.tensor([0, 7, 3]), torch.tensor([3, 1, 2], dtype=torch.int8)
    result = torch.ops.aten.mse_loss_backward(grad, x, y, NONE)
    assert result.dtype == torch.uint8 and result.tolist() == [6, 252, 24]
    result = smooth_l1(grad, y, x, NONE, 2.5)
    assert result.dtype == torch.int64 and result.tolist() == [-1, 0, -2]
    assert torch.ops.aten.mse_loss_backward(grad, y, torch.tensor([True, False, True]), NONE).tolist() == [-6, 14, 8]


def test_losses_of_no_integers_have_no_mean():
    none = torch.zeros(0, dtype=torch.int64)
    assert torch.ops.aten.mse_loss_backward(torch.tensor(1), none, none, SUM).shape == (0,)
    for op, numbers in ((torch.ops.aten.mse_loss_backward, ()), (smooth_l1, (1.0,))):
        with pytest.raises(RuntimeError, match="mean"):
            op(torch.tensor(1), none, none, MEAN, *numbers)


def test_losses_of_bools_are_refused():
    x = torch.tensor([True, False])
    for op, numbers in ((torch.ops.aten.mse_loss_backward, ()), (smooth_l1, (1.0,))):
        for others in (x, torch.tensor([1, 2])):
            with pytest.raises(NotImplementedError, match="not implemented for"):
                op(others, x, others, NONE, *numbers)


@pytest.mark.parametrize("memory_format", (torch.contiguous_format, torch.channels_last))
def test_average_pools_of_integers(memory_format):
    grad = torch.tensor([[[[5, 9], [-7, 12]], [[2, 40], [3, -8]]]]).contiguous(memory_format=memory_format)
    x = torch.zeros(1, 2, 4, 4, dtype=torch.int64).contiguous(memory_format=memory_format)
    result = torch.ops.aten.avg_pool2d_backward(grad, x, [2, 2], [2, 2], [0, 0], False, True, None)
    shares = [[[1, 2], [-1, 3]], [[0, 10], [0, -2]]]  # a quarter, rounded towards zero
    expected = torch.tensor([shares]).repeat_interleave(2, 2).repeat_interleave(2, 3)
    assert torch.equal(result, expected)
    deep_x = torch.zeros(1, 1, 2, 4, 4, dtype=torch.int64)
    deep = torch.ops.aten.avg_pool3d_backward(grad[:, :1, None], deep_x, [2] * 3, [2] * 3, [0] * 3, False, True, None)
    eighths = torch.tensor([[0, 1], [0, 1]]).repeat_interleave(2, 0).repeat_interleave(2, 1)
    assert torch.equal(deep[0, 0], torch.stack([eighths, eighths]))


@pytest.mark.parametrize("by_frequency", (False, True))
def test_embedding_gradients_of_bools(by_frequency):
    grad = torch.tensor([[True, False], [False, False], [False, True]])
    result = torch.ops.aten.embedding_dense_backward(grad, torch.tensor([0, 1, 1]), 3, -1, by_frequency)
    assert result.tolist() == [[True, False], [False, True], [False, False]]


@pytest.mark.parametrize("dtype", (torch.complex64, torch.complex128, torch.uint16, torch.uint32, torch.uint64))
@pytest.mark.parametrize("function", (torch.cummax, torch.cummin))
def test_extremes_of_a_number(dtype, function):
    value = torch.tensor(3).to(dtype)
    values, indices = function(value, 0)
    assert values.dtype == dtype and values.shape == () and values.item() == 3
    assert indices.dtype == torch.int64 and indices.item() == 0
    with pytest.raises(NotImplementedError):
        function(value.expand(2), 0)


@pytest.mark.parametrize(
    "window",
    (torch.hann_window, torch.hamming_window, torch.bartlett_window, torch.blackman_window, torch.kaiser_window),
)
def test_short_windows_of_complex_numbers(window):
    assert window(1, dtype=torch.complex64).tolist() == [1]
    assert window(0, dtype=torch.complex128).shape == (0,)
    with pytest.raises(NotImplementedError, match="ComplexFloat"):
        window(2, dtype=torch.complex64)
