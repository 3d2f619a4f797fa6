"""linear_cross_entropy: in chunks, it is what cross_entropy makes of all scores."""

from __future__ import annotations

import pytest

import torch
import torch.nn.functional as F
from torch import nn

WEIGHT = torch.tensor([0.5, 1.0, 0.2, 2.0], dtype=torch.float64)
SETTINGS = [
    {}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": 1}, {"label_smoothing": 0.1}, {"weight": WEIGHT},
    {"weight": WEIGHT, "label_smoothing": 0.2, "ignore_index": 2},
]  # fmt: skip


def inputs():
    torch.manual_seed(0)
    tensors = [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((7, 3), (4, 3), (4,))]
    return (*tensors, torch.tensor([0, 1, 2, 3, 1, 2, 0]))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("chunk", [1, 3, 7, None])
@pytest.mark.parametrize("with_bias", [False, True])
def test_values_and_gradients(settings, chunk, with_bias) -> None:
    samples, matrix, bias, target = inputs()
    leaves = [samples, matrix, bias][: 3 if with_bias else 2]
    bias = bias if with_bias else None
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=chunk)
    found = F.linear_cross_entropy(samples, matrix, target, linear_bias=bias, options=options, **settings)
    expected = F.cross_entropy(F.linear(samples, matrix, bias), target, **settings)
    torch.testing.assert_close(found, expected)
    found, expected = (torch.autograd.grad((loss * torch.ones_like(loss)).sum(), leaves) for loss in (found, expected))
    torch.testing.assert_close(found, expected)


def test_probabilities() -> None:
    samples, matrix, _, _ = inputs()
    target = torch.rand(7, 4, dtype=torch.float64)
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    torch.testing.assert_close(
        F.linear_cross_entropy(samples, matrix, target, options=options), F.cross_entropy(samples @ matrix.T, target)
    )


def test_there_is_never_a_whole_matrix_of_scores() -> None:
    samples, matrix, _, target = inputs()
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
        F.linear_cross_entropy(samples, matrix, target, options=options).backward()
    assert max(saved) < 7 * 4


def test_everything_ignored() -> None:
    samples, matrix, _, target = inputs()
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    loss = F.linear_cross_entropy(samples, matrix, torch.full_like(target, 1), ignore_index=1, options=options)
    assert loss.isnan()


def test_one_sample() -> None:
    samples, matrix, _, target = inputs()
    torch.testing.assert_close(
        F.linear_cross_entropy(samples[0], matrix, target[0]), F.cross_entropy(matrix @ samples[0], target[0])
    )


def test_module() -> None:
    loss = nn.LinearCrossEntropyLoss(3, 4, bias=True, reduction="sum", options=nn.LinearCrossEntropyOptions(batch_chunk_size=2))
    samples, target = torch.randn(5, 3), torch.tensor([0, 1, 2, 3, 0])
    torch.testing.assert_close(loss(samples, target), F.cross_entropy(loss.linear(samples), target, reduction="sum"))
    assert set(loss.state_dict()) == {"linear.weight", "linear.bias"}
    assert "num_classes=4, out_features=(), bias=True" in repr(loss)


def test_errors() -> None:
    samples, matrix, _, target = inputs()
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    with pytest.raises(RuntimeError, match="1 or 2 dimensions"):
        F.linear_cross_entropy(samples[None], matrix, target)
    with pytest.raises(RuntimeError, match=r"shape \(C, 3\), got \(3, 4\)"):
        F.linear_cross_entropy(samples, matrix.T, target)
    with pytest.raises(IndexError):
        F.linear_cross_entropy(samples, matrix, target + 4, options=options)
    with pytest.raises(RuntimeError, match="target for each of 7"):
        F.linear_cross_entropy(samples, matrix, target[:6], options=options)
    with pytest.raises(ValueError, match="reduction"):
        F.linear_cross_entropy(samples, matrix, target, reduction="x", options=options)
    with pytest.raises(ValueError, match="batch_chunk_size"):
        nn.LinearCrossEntropyOptions(batch_chunk_size=0)
    with pytest.raises(NotImplementedError, match="out_features"):
        nn.LinearCrossEntropyLoss(3, 4, out_features=(2,))
