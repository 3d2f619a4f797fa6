"""Attention as one kernel: forward and backward against several operators, in all types, widths and masks."""

import pytest

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-10, torch.float16: 5e-3, torch.bfloat16: 4e-2}
EFFICIENT = torch.ops.aten._scaled_dot_product_efficient_attention


def heads(*shapes, dtype=torch.float32):
    torch.manual_seed(0)
    return [torch.randn(shape).to(dtype) for shape in shapes]


def compare(dtype, q, k, v, kernel=SDPBackend.FLASH_ATTENTION, **kwargs):
    """Results and gradients of the device's kernel are those of the plain version in float64 on the CPU."""
    grad = torch.randn(q.shape).to(dtype)
    exact = [x.to(torch.float64, copy=True).requires_grad_() for x in (q, k, v)]
    with sdpa_kernel(SDPBackend.MATH):
        mask = kwargs.get("attn_mask")
        given = {**kwargs, "attn_mask": mask.double()} if mask is not None and mask.dtype != torch.bool else kwargs
        expected = F.scaled_dot_product_attention(*exact, **given)
    expected.backward(grad.double())
    ours = [x.cuda().requires_grad_() for x in (q, k, v)]
    given = {name: value.cuda() if isinstance(value, torch.Tensor) else value for name, value in kwargs.items()}
    with sdpa_kernel(kernel):
        result = F.scaled_dot_product_attention(*ours, **given)
    result.backward(grad.cuda())
    assert result.dtype == dtype and "Efficient" in type(result.grad_fn).__name__
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(result.cpu().double(), expected, rtol=tolerance, atol=tolerance)
    for x, y in zip(ours, exact):
        torch.testing.assert_close(x.grad.cpu().double(), y.grad, rtol=4 * tolerance, atol=4 * tolerance)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", [8, 20, 64, 72, 128, 160, 256])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_types_and_widths(dtype, width, causal):
    if dtype == torch.float64 and width > 128:
        pytest.skip("wider than the kernel takes in double")
    compare(dtype, *heads((1, 2, 37, width), (1, 2, 37, width), (1, 2, 37, width), dtype=dtype), is_causal=causal)


@pytest.mark.parametrize("queries,keys", [(1, 1), (1, 100), (100, 1), (64, 64), (130, 65), (65, 130)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_lengths(dtype, queries, keys, causal):
    compare(dtype, *heads((2, 1, queries, 16), (2, 1, keys, 16), (2, 1, keys, 16), dtype=dtype), is_causal=causal)


MASKS = {
    "of numbers": lambda: torch.randn(40, 50),
    "of each head": lambda: torch.randn(2, 3, 40, 50),
    "for all queries": lambda: torch.randn(2, 1, 1, 50),
    "of bools": lambda: torch.rand(40, 50) > 0.3,
    "that hides a row": lambda: (torch.arange(40)[:, None] != 3).expand(40, 50),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_masks(dtype, name):
    torch.manual_seed(1)
    mask = MASKS[name]()
    mask = mask if mask.dtype == torch.bool else mask.to(dtype)
    operands = heads((2, 3, 40, 24), (2, 3, 50, 24), (2, 3, 50, 24), dtype=dtype)
    compare(dtype, *operands, attn_mask=mask, kernel=SDPBackend.EFFICIENT_ATTENTION)


def test_other_layouts():
    """Heads that lie beside each other, rows that do not begin at multiples of 16 bytes, a scale, shared heads."""
    q, k, v = (x.transpose(1, 2) for x in heads((2, 33, 4, 16), (2, 33, 4, 16), (2, 33, 4, 16)))
    compare(torch.float32, q, k, v, scale=0.3)
    q, k, v = (x[..., 1:18] for x in heads((1, 2, 33, 20), (1, 2, 33, 20), (1, 2, 33, 20)))
    compare(torch.float32, q, k, v)
    compare(torch.float32, *heads((1, 4, 9, 8), (1, 2, 9, 8), (1, 2, 9, 8)), enable_gqa=True)


def test_dropout():
    """Weights are dropped with that probability, and backward drops the same ones."""
    p, n = 0.25, 64
    torch.manual_seed(0)
    q, k = (torch.zeros(2, 2, n, n, device="cuda", dtype=torch.float64, requires_grad=True) for _ in range(2))
    v = torch.eye(n, dtype=torch.float64, device="cuda").expand(2, 2, n, n).clone().requires_grad_()
    weights = F.scaled_dot_product_attention(q, k, v, dropout_p=p)  # each is 1 / n, or dropped
    kept = weights.detach() > 0
    dropped = kept.double() / (n * (1 - p))
    torch.testing.assert_close(weights.detach(), dropped, rtol=1e-6, atol=0)
    assert kept.double().mean().item() == pytest.approx(1 - p, abs=0.02)
    assert len({tuple(row.tolist()) for row in kept.flatten(0, 2).cpu()}) == 4 * n
    grad = torch.randn(weights.shape, dtype=torch.float64, device="cuda")
    weights.backward(grad)
    torch.testing.assert_close(v.grad, dropped.transpose(-2, -1) @ grad, rtol=1e-6, atol=1e-9)
    # The same seed gives the same numbers.
    torch.manual_seed(0)
    with torch.no_grad():
        torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v, dropout_p=p), weights.detach(), rtol=0, atol=0)


def test_gradient_with_dropout():
    """Backward is the derivative of forward, with the same weights dropped."""
    q, k, v = (x.cuda().requires_grad_() for x in heads((1, 2, 5, 4), (1, 2, 7, 4), (1, 2, 7, 4), dtype=torch.float64))

    def attention(q, k, v):
        torch.manual_seed(3)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.3)

    assert torch.autograd.gradcheck(attention, (q, k, v))


def test_not_a_number_spreads_in_its_row():
    q, k, v = (x.cuda() for x in heads((1, 1, 20, 8), (1, 1, 30, 8), (1, 1, 30, 8)))
    q[0, 0, 7, 2] = float("nan")
    result = F.scaled_dot_product_attention(q, k, v)
    assert result[0, 0, 7].isnan().all() and not result[0, 0, :7].isnan().any() and not result[0, 0, 8:].isnan().any()


def test_large_scores():
    q, k, v = (x.cuda() for x in heads((1, 1, 20, 8), (1, 1, 30, 8), (1, 1, 30, 8)))
    compare(torch.float32, (30 * q).cpu(), k.cpu(), v.cpu())


def test_the_switches_decide_the_kernel():
    q = torch.ones(1, 1, 2, 8, device="cuda", requires_grad=True)
    for backends, name in (
        ([SDPBackend.MATH], "Unsafe"),
        ([SDPBackend.FLASH_ATTENTION], "Efficient"),
        ([SDPBackend.EFFICIENT_ATTENTION], "Efficient"),
    ):
        with sdpa_kernel(backends):
            result = F.scaled_dot_product_attention(q, q, q)
        assert (name == "Efficient") == ("Efficient" in type(result.grad_fn).__name__)
    wide = torch.ones(1, 1, 2, 300, device="cuda")
    torch.testing.assert_close(F.scaled_dot_product_attention(wide, wide, wide), wide)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), pytest.raises(RuntimeError, match="no allowed kernel"):
        F.scaled_dot_product_attention(wide, wide, wide)


def test_empty_results_and_errors():
    q = torch.ones(1, 2, 0, 8, device="cuda")
    k = torch.ones(1, 2, 3, 8, device="cuda")
    assert EFFICIENT(q, k, k, None, True)[0].shape == (1, 2, 0, 8)
    assert not EFFICIENT(k, q, q, None, True)[0].any()
    assert EFFICIENT(k, k, k, None, False)[1].shape == (1, 2, 0)
    with pytest.raises(RuntimeError, match="same batch"):
        EFFICIENT(k, k[:, :1], k, None, True)
    with pytest.raises(RuntimeError, match="one floating-point dtype"):
        EFFICIENT(k, k.half(), k, None, True)
    with pytest.raises(RuntimeError, match="up to 256 wide"):
        wide = torch.ones(1, 1, 1, 257, device="cuda")
        EFFICIENT(wide, wide, wide, None, True)


def test_in_a_graph():
    """Each replay drops other weights."""
    q = torch.zeros(1, 1, 32, 32, device="cuda")
    v = torch.eye(32, device="cuda").expand(1, 1, 32, 32).contiguous()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        weights = F.scaled_dot_product_attention(q, q, v, dropout_p=0.5)
    graph.replay()
    first = weights.clone()
    graph.replay()
    assert not torch.equal(first, weights) and first.count_nonzero() > 0


def test_questions_about_the_kernel():
    cuda = torch.backends.cuda

    def ask(q, mask=None, k=None, causal=False):
        k = q if k is None else k
        p = cuda.SDPAParams(q, k, k, mask, 0.0, causal, False)
        return cuda.can_use_flash_attention(p), cuda.can_use_efficient_attention(p)

    x = torch.randn(1, 2, 4, 64, device="cuda", dtype=torch.half)
    assert cuda.is_flash_attention_available() and not cuda.is_ck_sdpa_available()
    assert ask(x) == ask(x, causal=True) == (True, True)
    assert ask(x, torch.ones(4, 4, dtype=torch.bool, device="cuda")) == (False, True)
    assert ask(x[0]) == ask(x, k=x.float()) == ask(x.to(torch.int64)) == ask(x.cpu()) == (False, False)
    assert ask(torch.randn(1, 1, 2, 300, device="cuda")) == (False, False)
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        assert ask(x) == (False, True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        assert ask(x) == (True, False)
    with pytest.warns(UserWarning, match="flash attention cannot be used: it takes no attn_mask"):
        cuda.can_use_flash_attention(cuda.SDPAParams(x, x, x, torch.ones(4, 4, device="cuda"), 0.0, False, False), debug=True)
    with pytest.warns(UserWarning, match="memory-efficient attention cannot be used: query, key and value have to be"):
        cuda.can_use_efficient_attention(cuda.SDPAParams(x, x.float(), x, None, 0.0, False, False), debug=True)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_the_name_of_flash_attention(dropout):
    q, k, v = (x.cuda().requires_grad_() for x in heads((2, 3, 40, 16), (2, 3, 50, 16), (2, 3, 50, 16), dtype=torch.float16))
    torch.cuda.manual_seed(3)
    found = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout, True)
    torch.cuda.manual_seed(3)
    expected = EFFICIENT(q, k, v, None, True, dropout, True)
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])
    assert found[2] is None or found[2].numel() == 0
    assert found[4:6] == (40, 50) and found[6].dtype == torch.uint64 and found[6].shape == (2,)
    g = torch.randn_like(found[0])
    ours, others = (torch.autograd.grad(y[0], (q, k, v), g) for y in (found, expected))
    assert all(torch.equal(a, b) for a, b in zip(ours, others, strict=True))
    meta = torch.ops.aten._scaled_dot_product_flash_attention(*(x.detach().to("meta") for x in (q, k, v)), dropout)
    assert meta[0].shape == q.shape and meta[6].dtype == torch.uint64
    with pytest.raises(NotImplementedError, match="return_debug_mask"):
        torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout, False, True)
