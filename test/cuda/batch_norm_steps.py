"""The steps of a batch norm over several processes: together they are a batch norm of all batches."""

import pytest

import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("shape", [(6, 3), (6, 3, 5), (6, 3, 4, 5)])
def test_the_steps_are_a_batch_norm(shape, dtype):
    torch.manual_seed(0)
    x, g = (torch.randn(shape, dtype=torch.float64) + 1).to(dtype), torch.randn(shape, dtype=torch.float64).to(dtype)
    weight, bias = torch.randn(3), torch.randn(3)
    exact = [t.double().requires_grad_() for t in (x, weight, bias)]
    running = [torch.zeros(3).double(), torch.ones(3).double()]
    y = torch.nn.functional.batch_norm(exact[0], *running, exact[1], exact[2], True, 0.1, 1e-5)
    y.backward(g.double())

    parts, grads = x.cuda().split([2, 4]), g.cuda().split([2, 4])
    w, b = weight.cuda(), bias.cuda()
    means, stds = zip(*(torch.batch_norm_stats(part, 1e-5) for part in parts))
    assert means[0].dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    counts = torch.tensor([part.numel() // 3 for part in parts], device="cuda", dtype=torch.int32)
    own = [torch.zeros(3, device="cuda"), torch.ones(3, device="cuda")]
    mean, std = torch.batch_norm_gather_stats_with_counts(
        x.cuda(), torch.stack(means), torch.stack(stds), *own, 0.1, 1e-5, counts.to(means[0].dtype)
    )
    tolerance = {"rtol": 3e-3, "atol": 3e-3} if dtype == torch.float16 else {"rtol": 1e-4, "atol": 1e-4}
    for one, expected in zip(own, running, strict=True):
        torch.testing.assert_close(one.cpu().double(), expected, **tolerance)
    results = [torch.batch_norm_elemt(part, w, b, mean, std, 1e-5) for part in parts]
    torch.testing.assert_close(torch.cat(results).cpu().double(), y, **tolerance)
    assert results[0].dtype == dtype

    sums = [
        torch.batch_norm_backward_reduce(grad, part, mean, std, w, True, True, True)
        for grad, part in zip(grads, parts, strict=True)
    ]
    sum_dy, sum_dy_xmu, grad_weight, grad_bias = (sum(each) for each in zip(*sums, strict=True))
    torch.testing.assert_close(grad_weight.cpu().double(), exact[1].grad, rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(grad_bias.cpu().double(), exact[2].grad, rtol=1e-2, atol=1e-2)
    found = [
        torch.batch_norm_backward_elemt(grad, part, mean, std, w, sum_dy, sum_dy_xmu, counts)
        for grad, part in zip(grads, parts, strict=True)
    ]
    torch.testing.assert_close(torch.cat(found).cpu().double(), exact[0].grad, **tolerance)


def test_equal_counts_and_wrong_shapes():
    x = torch.randn(4, 3, device="cuda")
    mean, std = (torch.stack([t, t + 1]) for t in torch.batch_norm_stats(x, 1e-5))
    first = torch.batch_norm_gather_stats(x, mean, std, None, None, 0.1, 1e-5, 4)
    counts = torch.tensor([4.0, 4.0], device="cuda")
    second = torch.batch_norm_gather_stats_with_counts(x, mean, std, None, None, 0.1, 1e-5, counts)
    assert torch.equal(first[0], second[0]) and torch.equal(first[1], second[1])
    with pytest.raises(RuntimeError, match="a count for each process"):
        torch.batch_norm_gather_stats_with_counts(x, mean, std, None, None, 0.1, 1e-5, counts[:1])
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        torch.batch_norm_stats(x[0], 1e-5)
    with pytest.raises(NotImplementedError, match="batch_norm_stats"):
        torch.batch_norm_stats(x.cpu(), 1e-5)
