"""Arguments at the edges of what operators take: empty rows, sources of one element, numbers of another kind."""

import math

import pytest

import torch


def test_a_source_without_dimensions_is_one_row_of_one_element():
    """A longer row was read from behind the source's memory."""
    x = torch.arange(6.0).reshape(2, 3)
    for f in (x.index_copy, x.index_add):
        with pytest.raises(RuntimeError, match="source tensor shape must match"):
            f(0, torch.tensor([0]), torch.tensor(1.0))
        with pytest.raises((RuntimeError, IndexError)):
            f(0, torch.tensor([0]), torch.ones(3))
    assert torch.zeros(3).index_copy(0, torch.tensor([1]), torch.tensor(5.0)).tolist() == [0.0, 5.0, 0.0]
    assert torch.tensor(1.0).index_add(0, torch.tensor([0]), torch.tensor([2.0])).item() == 3.0
    with pytest.raises(IndexError, match="Number of indices"):
        x.index_copy(0, torch.tensor([0, 1]), torch.ones(1, 3))


def test_take_along_dim_counts_modulo_the_size():
    x = torch.arange(6.0).reshape(2, 3)
    for index, column in ((-1, 2), (-4, 2), (3, 0), (1, 1)):
        assert torch.take_along_dim(x, torch.tensor([[index]]), 1).tolist() == x[:, column : column + 1].tolist()


def test_spaces_of_integers_step_between_whole_ends():
    assert torch.linspace(-2.5, 7.9, 5, dtype=torch.int64).tolist() == [-2, 0, 2, 4, 7]
    assert torch.logspace(0.5, 7, 9, 3, dtype=torch.int64).tolist() == [1, 2, 6, 17, 46, 122, 319, 836, 2187]


def test_spaces_of_half_types_round_after_every_operation():
    assert torch.linspace(-2.5, 7.9, 5, dtype=torch.bfloat16).tolist() == [-2.5, 0.09375, 2.71875, 5.3125, 7.90625]
    assert torch.linspace(7, 0.9, 4, dtype=torch.float16).tolist() == [7.0, 4.96875, 2.93359375, 0.89990234375]


def test_statistics_of_rows_of_nothing():
    for shape in ((2, 0), (0,)):
        _, mean, rstd = torch.native_layer_norm(torch.ones(shape), (0,), None, None, 1e-5)
        assert mean.flatten().tolist() == [0.0] * mean.numel() and rstd.isnan().all() and mean.numel()
    _, mean, invstd = torch.native_batch_norm(torch.ones(0, 3), None, None, None, None, True, 0.1, 1e-5)
    assert all(math.isnan(v) for v in mean.tolist() + invstd.tolist()) and mean.shape == (3,)


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("dtype, factor", [(torch.float32, True), (torch.int32, 0.5), (torch.bool, 0.5), (torch.float32, 1j)])
def test_addr_refuses_factors_of_a_kind_that_the_result_cannot_have(name, dtype, factor):
    v = torch.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=name):
        torch.addr(torch.ones(2, 2, dtype=dtype), v, v, **{name: factor})


def test_addr_of_bools():
    m, v = torch.tensor([[False, True], [True, False]]), torch.tensor([True, False])
    assert torch.addr(m, v, v, alpha=2).tolist() == [[True, True], [True, False]]
    assert torch.addr(m, v, v, beta=0, alpha=True).tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_in_half_arithmetic(dtype):
    """A factor or divisor stays float32; a summand is rounded to the half type first, as PyTorch does."""
    x = 7 + torch.arange(3000).to(dtype) / 512
    wide, number = x.float(), 0.9
    rounded = torch.tensor(number, dtype=dtype).float()
    assert torch.equal(x * number, (wide * number).to(dtype)) and not torch.equal(x * number, (wide * rounded).to(dtype))
    assert torch.equal(x / number, (wide / number).to(dtype)) and not torch.equal(x / number, (wide / rounded).to(dtype))
    assert torch.equal(x + number, (wide + rounded).to(dtype)) and torch.equal(x - number, (wide - rounded).to(dtype))
    for mode in ("floor", "trunc"):
        assert torch.equal(torch.div(x, 0.1, rounding_mode=mode), torch.div(wide, 0.1, rounding_mode=mode).to(dtype))


@pytest.mark.parametrize("scale", [1e25, 1e-18])
@pytest.mark.parametrize("shape, dim", [((5000,), 0), ((70, 40), 0), ((40, 70), 1), ((3, 5), (0, 1))])
def test_deviations_whose_squares_leave_float32(scale, shape, dim):
    torch.manual_seed(0)
    x = torch.randn(shape) * scale
    torch.testing.assert_close(x.std(dim), x.double().std(dim).float(), rtol=1e-5, atol=0)
    assert torch.zeros(shape).std(dim).eq(0).all()


def test_values_of_another_type_are_stored_by_masks_and_slices_only():
    """A mask with one value is a fill, which converts; other tensors of indices need a value of their type."""

    def stored(index, value, shape=(2, 2)):
        x = torch.zeros(shape, dtype=torch.long)
        x[index] = value
        return x.tolist()

    mask = torch.tensor([False, True])
    for value in (torch.tensor(2.5), torch.tensor([2.5]), torch.tensor([[2]], dtype=torch.int8), 2.5):
        assert stored(mask, value) == [[0, 0], [2, 2]] and stored((slice(None), mask), value) == [[0, 2], [0, 2]]
        assert stored(mask, value, (2,)) == [0, 2] and stored(0, value) == [[2, 2], [0, 0]]
        assert torch.zeros(2).index_put((mask,), torch.as_tensor(value)).tolist() == [0, torch.as_tensor(value).item()]
    assert stored(torch.tensor([1]), 2.5, (2,)) == [0, 2]
    for index in ([1], torch.tensor([1]), (mask, torch.tensor([1])), (0, torch.tensor([1]))):
        with pytest.raises(RuntimeError, match="source and destination dtypes match"):
            stored(index, torch.tensor(2.5))
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        stored(mask, torch.tensor([1.0, 2.0]))
    with pytest.raises(RuntimeError, match="shape mismatch"):
        stored(mask, torch.tensor([1.0, 2.0, 3.0]))
