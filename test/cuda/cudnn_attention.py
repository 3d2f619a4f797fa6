"""Attention through cuDNN: forward and backward against several operators, masks, layouts, dropout, graphs, and the choice."""

import os
import subprocess
import sys

import pytest

os.environ["TORCH_CUDA_EMULATED_CUDNN"] = "1"  # before the first call of cuDNN

from gpus import emulated  # noqa: E402

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.backends import cudnn  # noqa: E402
from torch.nn.attention import SDPBackend, _cur_sdpa_kernel_backends, sdpa_kernel  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

CUDNN, FLASH, EFFICIENT, MATH = (
    SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH,
)  # fmt: skip
ATTENTION = torch.ops.aten._scaled_dot_product_cudnn_attention
BACKWARD = torch.ops.aten._scaled_dot_product_cudnn_attention_backward
TOLERANCE = {torch.float16: 5e-3, torch.bfloat16: 4e-2}


def params(*tensors, mask=None, dropout=0.0, causal=False, gqa=False):
    q, k, v = tensors * (3 if len(tensors) == 1 else 1)
    return torch.backends.cuda.SDPAParams(q, k, v, mask, dropout, causal, gqa)


def can_use(*args, **kwargs):
    return torch.backends.cuda.can_use_cudnn_attention(params(*args, **kwargs))


@pytest.fixture(autouse=True)
def usable(request):
    """The tests need cuDNN 9, and a GPU that it has kernels for."""
    if not can_use(torch.zeros(1, 1, 8, 8, device="cuda", dtype=torch.half)):
        pytest.skip("no attention of cuDNN here")


def heads(*shapes, dtype=torch.float16):
    torch.manual_seed(0)
    return [torch.randn(shape).to(dtype) for shape in shapes]


def compare(q, k, v, **kwargs):
    """Result and gradients are those of the plain version in float64 on the CPU."""
    dtype, mask = q.dtype, kwargs.get("attn_mask")
    grad = torch.randn(*q.shape[:3], v.shape[3]).to(dtype)
    exact = [x.to(torch.float64, copy=True).requires_grad_() for x in (q, k, v)]
    given = {**kwargs, "attn_mask": mask.double()} if mask is not None and mask.dtype != torch.bool else kwargs
    with sdpa_kernel(MATH):
        expected = F.scaled_dot_product_attention(*exact, **given)
    expected.backward(grad.double())
    ours = [x.cuda().requires_grad_() for x in (q, k, v)]
    given = {name: value.cuda() if isinstance(value, torch.Tensor) else value for name, value in kwargs.items()}
    with sdpa_kernel(CUDNN):
        result = F.scaled_dot_product_attention(*ours, **given)
        with torch.no_grad():
            without_logsumexp = F.scaled_dot_product_attention(*ours, **given)
    assert result.dtype == dtype and "Cudnn" in type(result.grad_fn).__name__
    result.backward(grad.cuda())
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(result.detach().cpu().double(), expected.detach(), rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(without_logsumexp, result.detach(), rtol=tolerance, atol=tolerance)
    for x, y in zip(ours, exact):
        assert x.grad.stride() == x.stride()
        torch.testing.assert_close(x.grad.cpu().double(), y.grad, rtol=4 * tolerance, atol=4 * tolerance)
    return result


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", [8, 24, 64, 128])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_types_and_widths(dtype, width, causal):
    compare(*heads(*3 * [(2, 3, 37, width)], dtype=dtype), is_causal=causal)


@pytest.mark.parametrize("queries, keys", [(1, 9), (7, 2), (37, 64), (64, 37), (130, 65), (65, 130)])
@pytest.mark.parametrize("causal", [False, True])
def test_lengths(queries, keys, causal):
    compare(*heads((2, 2, queries, 16), (2, 2, keys, 16), (2, 2, keys, 16)), is_causal=causal, scale=0.3)


MASKS = {
    "of numbers": lambda: torch.randn(40, 50),
    "of each head": lambda: torch.randn(2, 3, 40, 50),
    "of each batch": lambda: torch.randn(2, 1, 40, 50),
    "for all queries": lambda: torch.randn(1, 3, 1, 50),
    "of an odd number of keys": lambda: torch.randn(40, 51),
    "of bools": lambda: torch.rand(40, 50) > 0.3,
    "that hides rows": lambda: (torch.arange(40)[:, None] % 7 != 3).expand(40, 50),
    "that hides rows by numbers": lambda: torch.where(torch.arange(40)[:, None] % 7 != 3, 0.5, -torch.inf).expand(40, 50),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_masks(dtype, name):
    torch.manual_seed(1)
    mask = MASKS[name]()
    mask = mask if mask.dtype == torch.bool else mask.to(dtype)
    keys = mask.shape[-1]
    result = compare(*heads((2, 3, 40, 24), (2, 3, keys, 24), (2, 3, keys, 24), dtype=dtype), attn_mask=mask)
    if "hides" in name:
        assert not result[:, :, 3::7].any()


def test_the_logsumexp_of_hidden_rows():
    q, mask = torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.half), torch.zeros(8, 8, device="cuda")
    mask[2] = -torch.inf
    out, logsumexp, *_ = ATTENTION(q, q, q, mask, True)
    assert logsumexp.shape == (1, 1, 8, 1) and logsumexp.dtype == torch.float32
    assert logsumexp[0, 0, 2] == -torch.inf and logsumexp[0, 0, :2].isfinite().all() and not out.isnan().any()


def test_layouts():
    """Heads that lie beside each other give such results and gradients; what cuDNN cannot read in place is copied."""
    x = heads((2, 33, 3, 4, 16))[0]
    q, k, v = (x[:, :, i].transpose(1, 2) for i in range(3))
    with sdpa_kernel(CUDNN):
        result = F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda())
    assert result.transpose(1, 2).is_contiguous()
    compare(*(x.clone() for x in (q, k, v)))
    packed = x.cuda().requires_grad_()
    with sdpa_kernel(CUDNN):
        F.scaled_dot_product_attention(*(packed[:, :, i].transpose(1, 2) for i in range(3))).sum().backward()
    exact = x.double().requires_grad_()
    F.scaled_dot_product_attention(*(exact[:, :, i].transpose(1, 2) for i in range(3))).sum().backward()
    torch.testing.assert_close(packed.grad.cpu().double(), exact.grad, rtol=2e-2, atol=2e-2)
    base = torch.randn(1, 2, 9, 21, device="cuda", dtype=torch.half)
    columns = torch.randn(1, 2, 8, 9, device="cuda", dtype=torch.half).transpose(2, 3)
    repeated = torch.randn(1, 1, 9, 8, device="cuda", dtype=torch.half).expand(1, 2, 9, 8)
    for odd in (base[..., 1:9], base[..., 8:16], columns, repeated):
        found = ATTENTION(odd, odd, odd, None, False)[0]
        torch.testing.assert_close(
            found, F.scaled_dot_product_attention(*[odd.cpu().float()] * 3).half().cuda(), rtol=5e-3, atol=5e-3
        )


def test_gradients_of_other_layouts():
    q, k, v = (x.cuda().requires_grad_() for x in heads(*3 * [(2, 3, 9, 8)]))
    with sdpa_kernel(CUDNN):
        y = F.scaled_dot_product_attention(q, k, v)
    grad = torch.randn_like(y)
    expected = torch.autograd.grad(y, (q, k, v), grad, retain_graph=True)
    for other in (grad.transpose(1, 2).contiguous().transpose(1, 2), torch.stack([grad, grad], -1)[..., 0]):
        found = torch.autograd.grad(y, (q, k, v), other, retain_graph=True)
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
    ones = torch.autograd.grad(y, (q, k, v), torch.ones_like(y), retain_graph=True)
    sums = torch.autograd.grad(y.sum(), (q, k, v))
    torch.testing.assert_close(ones, sums, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shared", [1, 2])
def test_shared_heads(shared):
    """One head of keys and values for several of queries, without copies of it."""
    compare(*heads((2, 4, 9, 8), (2, shared, 11, 8), (2, shared, 11, 8)), enable_gqa=True)


def test_values_of_another_width():
    q, k, v = (x.cuda().requires_grad_() for x in heads((2, 3, 9, 8), (2, 3, 11, 8), (2, 3, 11, 24)))
    result = ATTENTION(q, k, v, None, True)[0]
    exact = [x.detach().cpu().double().requires_grad_() for x in (q, k, v)]
    expected = F.scaled_dot_product_attention(*exact)
    torch.testing.assert_close(result.detach().cpu().double(), expected.detach(), rtol=5e-3, atol=5e-3)
    grad = torch.randn_like(result)
    for a, b in zip(torch.autograd.grad(result, (q, k, v), grad), torch.autograd.grad(expected, exact, grad.cpu().double())):
        torch.testing.assert_close(a.cpu().double(), b, rtol=2e-2, atol=2e-2)


def weights_of(dropout, n=64):
    """The weights, each of which is 1 / n, or dropped."""
    q = torch.zeros(2, 2, n, n, device="cuda", dtype=torch.half)
    v = torch.eye(n, dtype=torch.half, device="cuda").expand(2, 2, n, n).clone().requires_grad_()
    with sdpa_kernel(CUDNN):
        return F.scaled_dot_product_attention(q, q, v, dropout_p=dropout), v


def test_dropout():
    """Weights are dropped with that probability, and backward drops the same ones."""
    p, n = 0.25, 64
    torch.manual_seed(0)
    weights, v = weights_of(p)
    kept = weights.detach() > 0
    dropped = kept.float() / (n * (1 - p))
    torch.testing.assert_close(weights.detach().float(), dropped, rtol=2e-3, atol=0)
    assert kept.float().mean().item() == pytest.approx(1 - p, abs=0.02)
    assert len({tuple(row.tolist()) for row in kept.flatten(0, 2).cpu()}) == 4 * n
    grad = torch.randn(weights.shape, device="cuda").half()
    weights.backward(grad)
    torch.testing.assert_close(v.grad.float(), dropped.transpose(-2, -1) @ grad.float(), rtol=1e-2, atol=1e-2)
    other, _ = weights_of(p)
    assert not torch.equal(other, weights)
    torch.manual_seed(0)
    again, _ = weights_of(p)
    assert torch.equal(again, weights)


def test_in_a_graph():
    q, k, v = (x.cuda() for x in heads(*3 * [(1, 2, 16, 8)]))
    with sdpa_kernel(CUDNN):
        expected = F.scaled_dot_product_attention(q, k, v)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = F.scaled_dot_product_attention(q, k, v)
    for scale in (1, 2):
        v.mul_(scale)
        graph.replay()
        torch.testing.assert_close(result, scale * expected, rtol=5e-3, atol=5e-3)


def test_dropout_in_a_graph():
    """Each replay drops other weights, and its backward pass the same."""
    q = torch.zeros(1, 1, 32, 32, device="cuda", dtype=torch.half)
    v = torch.eye(32, device="cuda", dtype=torch.half).expand(1, 1, 32, 32).contiguous().requires_grad_()

    def step():
        weights = F.scaled_dot_product_attention(q, q, v, dropout_p=0.5)
        return weights, *torch.autograd.grad(weights, v, torch.ones_like(weights))

    graph = torch.cuda.CUDAGraph()
    with sdpa_kernel(CUDNN):
        step()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            weights, grad = step()
    graph.replay()
    first = weights.detach().clone()
    torch.testing.assert_close(grad[0, 0, :, 0], first[0, 0].sum(0), rtol=1e-2, atol=1e-2)
    graph.replay()
    assert not torch.equal(first, weights) and first.count_nonzero() > 0
    torch.testing.assert_close(grad[0, 0, :, 0], weights.detach()[0, 0].sum(0), rtol=1e-2, atol=1e-2)


def test_deterministic_mode():
    x = torch.randn(1, 2, 9, 8, device="cuda", dtype=torch.half, requires_grad=True)
    with cudnn.flags(enabled=True, deterministic=True), sdpa_kernel(CUDNN):
        first, second = (torch.autograd.grad(F.scaled_dot_product_attention(x, x, x).sum(), x)[0] for _ in range(2))
    assert torch.equal(first, second)


# --- the choice ----------------------------------------------------------------------------------------------------------


def grad_name(*args, **kwargs):
    return type(F.scaled_dot_product_attention(*args, **kwargs).grad_fn).__name__


@pytest.mark.skipif(torch.cuda.get_device_capability() < (9, 0), reason="other GPUs prefer the flash kernel")
def test_new_gpus_prefer_it():
    """By size: a plan for each of many small shapes would cost more than it saves."""
    x = torch.empty(4, 8, 2048, 64, device="cuda", dtype=torch.half)
    assert torch._fused_sdp_choice(x, x, x) == 3 == torch._fused_sdp_choice(x, x, x, is_causal=True)
    small, one = x[:, :, :256], x[:, :, :1]
    assert torch._fused_sdp_choice(small, small, small) == 1 == torch._fused_sdp_choice(one, x, x)
    single = torch.empty(x.shape, device="cuda")
    assert torch._fused_sdp_choice(single, single, single) == 1
    with sdpa_kernel([FLASH, EFFICIENT, CUDNN]):
        assert torch._fused_sdp_choice(x, x, x) == 3
    with sdpa_kernel([EFFICIENT, CUDNN], set_priority=True):
        assert torch._fused_sdp_choice(x, x, x) == 2
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        assert torch._fused_sdp_choice(x, x, x) == 1
    finally:
        torch.backends.cuda.enable_cudnn_sdp(True)
    with cudnn.flags(enabled=False):
        assert torch._fused_sdp_choice(x, x, x) == 1


def test_the_choice_is_what_runs():
    x = torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.half, requires_grad=True)
    assert "Efficient" in grad_name(x, x, x)
    with sdpa_kernel([CUDNN, FLASH], set_priority=True):
        assert "Cudnn" in grad_name(x, x, x)
        assert "Efficient" in grad_name(x.float(), x.float(), x.float())
    with sdpa_kernel([FLASH, CUDNN], set_priority=True):
        assert "Efficient" in grad_name(x, x, x)


def test_the_order_of_preference():
    x = torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.half)
    order = torch._C._get_sdp_priority_order()
    with sdpa_kernel([MATH, CUDNN], set_priority=True):
        assert torch._fused_sdp_choice(x, x, x) == 0
        assert _cur_sdpa_kernel_backends(with_priority=True) == [MATH, CUDNN]
        with sdpa_kernel([CUDNN, MATH], set_priority=True):
            assert torch._fused_sdp_choice(x, x, x) == 3
            assert _cur_sdpa_kernel_backends(with_priority=True) == [CUDNN, MATH]
        assert torch._fused_sdp_choice(x, x, x) == 0
    with sdpa_kernel([EFFICIENT, MATH]):
        assert torch._fused_sdp_choice(x, x, x) == 2
    assert torch._C._get_sdp_priority_order() == order == [1, 2, 0, 3, 4]
    with pytest.raises(RuntimeError, match="numbers of all kernels"):
        torch._C._set_sdp_priority_order([0, 1, 2, 3, 3])


REFUSED = {  # the arguments of the call, and why cuDNN does not take them
    "float32": (lambda x: params(x.float()), "query, key and value are Float, and it takes float16 and bfloat16"),
    "three dimensions": (lambda x: params(x[0]), "of four dimensions"),
    "two types": (lambda x: params(x, x.bfloat16(), x), "of four dimensions, one floating-point type"),
    "narrow": (lambda x: params(x[..., :4]), "heads are 4 wide, and it takes multiples of 8"),
    "wide": (lambda x: params(torch.cat([x] * 40, -1)), "up to 256"),
    "one key": (lambda x: params(x, x[:, :, :1], x[:, :, :1]), "there is one key"),
    "heads": (lambda x: params(x, x[:, :1], x[:, :1]), "sizes that match"),
    "everything dropped": (lambda x: params(x, dropout=1.0), "all weights are dropped"),
    "mask with gradient": (
        lambda x: params(x, mask=torch.zeros(8, 8, device="cuda", requires_grad=True)), "a mask must need no gradient",
    ),
    "the CPU": (lambda x: params(x.cpu()), "query is on cpu"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    make, reason = REFUSED[name]
    x = torch.ones(1, 2, 8, 8, device="cuda", dtype=torch.half)
    p = make(x)
    assert not torch.backends.cuda.can_use_cudnn_attention(p)
    with pytest.warns(UserWarning, match="cuDNN attention cannot be used: .*" + reason):
        torch.backends.cuda.can_use_cudnn_attention(p, debug=True)
    if p.key.dtype == p.query.dtype and p.query.is_cuda:
        with sdpa_kernel(CUDNN), pytest.raises(RuntimeError, match="no allowed kernel.*cuDNN's cannot be used: .*" + reason):
            F.scaled_dot_product_attention(p.query, p.key, p.value, p.attn_mask, p.dropout, p.is_causal)


def test_switches_are_reasons():
    x = torch.ones(1, 2, 8, 8, device="cuda", dtype=torch.half)
    with sdpa_kernel(FLASH), pytest.warns(UserWarning, match="it is switched off"):
        assert not torch.backends.cuda.can_use_cudnn_attention(params(x), debug=True)
    with cudnn.flags(enabled=False):
        with pytest.warns(UserWarning, match="torch.backends.cudnn.enabled is False"):
            assert not torch.backends.cuda.can_use_cudnn_attention(params(x), debug=True)
        with pytest.raises(RuntimeError, match="cudnn.enabled is False"):
            ATTENTION(x, x, x, None, False)
    # The other questions are not about cuDNN.
    assert torch.backends.cuda.can_use_flash_attention(params(x)) and torch.backends.cuda.can_use_efficient_attention(params(x))


MANY_SHAPES = """import torch
x = torch.zeros(1, 1, 8, 8, device="cuda", dtype=torch.half)
def obstacle(keys):
    k = x[:, :, :1].expand(1, 1, keys, 8)
    return torch._C._sdp_obstacle(3, x, k, k, None, 0.0, False, False)
assert not any(obstacle(n) for n in range(2, 1002))
assert "1000 plans for other shapes are kept" in obstacle(1002)
assert not obstacle(7)"""


@emulated
def test_the_number_of_plans_is_limited():
    """Other kernels do the work of further shapes. In a process of its own, since plans stay."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", MANY_SHAPES], check=True)


def test_transforms():
    x = torch.randn(1, 2, 9, 8, device="cuda", dtype=torch.half)

    def loss(x):
        return F.scaled_dot_product_attention(x, x, x).float().square().sum()

    ours = x.clone().requires_grad_()
    with sdpa_kernel(CUDNN):
        loss(ours).backward()
        again = x.clone().requires_grad_()
        checkpoint(loss, again, use_reentrant=False).backward()
        for found in (again.grad, torch.func.grad(loss)(x)):
            torch.testing.assert_close(found, ours.grad, rtol=1e-3, atol=1e-3)
        with FakeTensorMode() as mode:
            fake = F.scaled_dot_product_attention(*[mode.from_tensor(x)] * 3)
    assert fake.shape == x.shape and fake.device == x.device


@emulated
def test_what_cudnn_itself_refuses():
    """The emulated library has no heads of more than 128: plans say so, and other kernels do the work."""
    x = torch.randn(1, 1, 4, 136, device="cuda", dtype=torch.half)
    with pytest.warns(UserWarning, match="heads are 136 wide, more than 128"):
        assert not torch.backends.cuda.can_use_cudnn_attention(params(x), debug=True)
    assert torch._fused_sdp_choice(x, x, x) == 1
    with pytest.raises(RuntimeError, match="cuDNN does not take these arguments: heads are 136 wide"):
        ATTENTION(x, x, x, None, False)


def test_vmap_and_forward_mode_take_other_kernels():
    x = torch.randn(3, 1, 2, 8, 8, device="cuda", dtype=torch.half)
    found = torch.vmap(F.scaled_dot_product_attention)(x, x, x)
    torch.testing.assert_close(found, F.scaled_dot_product_attention(*[x.flatten(0, 1)] * 3).view_as(x), rtol=5e-3, atol=5e-3)
    _, tangent = torch.func.jvp(lambda x: F.scaled_dot_product_attention(x, x, x), (x[0],), (torch.ones_like(x[0]),))
    assert tangent.shape == x[0].shape


# --- by name -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_names_of_operators(dropout):
    aten = torch.ops.aten
    q, k, v = (x.cuda().requires_grad_() for x in heads((2, 3, 10, 16), (2, 3, 12, 16), (2, 3, 12, 16)))
    torch.manual_seed(3)
    found = ATTENTION(q, k, v, None, True, dropout, True)
    torch.manual_seed(3)
    other = aten._cudnn_attention_forward(q, k, v, None, None, None, 10, 12, True, dropout, True)
    assert torch.equal(found[0], other[0]) and torch.equal(found[1], other[1]) and found[4:6] == other[4:6] == (10, 12)
    assert found[2] is found[3] is found[8] is None
    assert found[1].shape == (2, 3, 10, 1)
    grad = torch.randn_like(found[0])
    with torch.no_grad():
        saved = found[0], found[1], found[6], found[7], None, None, None, 10, 12, dropout, True
        by_name = BACKWARD(grad, q, k, v, *saved)
        by_other_name = aten._cudnn_attention_backward(grad, q, k, v, *saved)
    for gradients in (torch.autograd.grad(y[0], (q, k, v), grad) for y in (found, other)):
        for a, b, c in zip(gradients, by_name, by_other_name, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)
            torch.testing.assert_close(a, c, rtol=1e-3, atol=1e-3)


def test_shapes_without_memory():
    q, k, v = (x.to("meta") for x in heads((2, 5, 3, 16), (2, 3, 7, 16), (2, 3, 7, 24)))
    q = q.transpose(1, 2)
    out, logsumexp, _, _, queries, keys, *_ = ATTENTION(q, k, v, None, True)
    assert out.shape == (2, 3, 5, 24) and out.stride() == (360, 24, 72, 1) and logsumexp.shape == (2, 3, 5, 1)
    assert (queries, keys) == (5, 7)
    gradients = BACKWARD(out, q, k, v, out, logsumexp, *out.new_empty(2, 0).long(), None, None, None, 5, 7, 0.0, False)
    assert [g.stride() for g in gradients] == [q.stride(), k.stride(), v.stride()]


def test_empty_tensors():
    full, empty = (torch.ones(1, 2, n, 8, device="cuda", dtype=torch.half) for n in (3, 0))
    out, logsumexp, *_ = ATTENTION(full, empty, empty, None, True)
    assert not out.any() and (logsumexp == -torch.inf).all()
    assert ATTENTION(empty, full, full, None, True)[0].shape == (1, 2, 0, 8)
    assert ATTENTION(full, full, full, None, False)[1].numel() == 0
    x, y = full.clone().requires_grad_(), empty.clone().requires_grad_()
    ATTENTION(y, x, x, None, True)[0].sum().backward()
    assert not x.grad.any()


def test_errors():
    x = torch.ones(1, 2, 3, 8, device="cuda", dtype=torch.half)
    saved = *ATTENTION(x, x, x, None, True)[:2], *x.new_empty(2, 0).long()
    for error, message, call in (
        (RuntimeError, "of 4 dimensions", lambda: ATTENTION(x[0], x, x, None, True)),
        (RuntimeError, "float16 or of bfloat16, got Float", lambda: ATTENTION(x.float(), x.float(), x.float(), None, True)),
        (RuntimeError, "float16 or of bfloat16", lambda: ATTENTION(x, x.bfloat16(), x, None, True)),
        (RuntimeError, "same batch and head size", lambda: ATTENTION(x, x[..., :4], x, None, True)),
        (RuntimeError, "same batch and head size", lambda: ATTENTION(x, x, x[:, :, :2], None, True)),
        (RuntimeError, "multiple of that of key", lambda: ATTENTION(x[:, :1], x, x, None, True)),
        (RuntimeError, "at least 0 and less than 1, got 1", lambda: ATTENTION(x, x, x, None, True, 1.0)),
        (RuntimeError, "at least 0", lambda: ATTENTION(x, x, x, None, True, -0.5)),
        (RuntimeError, "attn_bias of shape .* does not broadcast", lambda: ATTENTION(x, x, x, x.new_zeros(3, 4), True)),
        (RuntimeError, "attn_bias of shape .* does not broadcast", lambda: ATTENTION(x, x, x, x.new_zeros(2, 3, 3), True)),
        (RuntimeError, "floating-point attn_bias, got Long", lambda: ATTENTION(x, x, x, x.new_zeros(3, 3).long(), True)),
        (RuntimeError, "one device|attn_bias on|same device", lambda: ATTENTION(x, x, x, torch.zeros(3, 3), True)),
        (NotImplementedError, "return_debug_mask", lambda: ATTENTION(x, x, x, None, True, 0.0, False, True)),
        (RuntimeError, "cannot be used: heads are 0 wide", lambda: ATTENTION(x[..., :0], x[..., :0], x, None, True)),
        (RuntimeError, "cannot be used: heads are 4 wide", lambda: ATTENTION(*[x[..., :4]] * 3, None, True)),
        (RuntimeError, "compute_log_sumexp=True", lambda: BACKWARD(
            x, x, x, x, x, x.new_empty(0).float(), *saved[2:], None, None, None, 3, 3, 0.0, False)),
        (RuntimeError, "grad_out and out of shape", lambda: BACKWARD(
            x[:, :, :2], x, x, x, *saved, None, None, None, 3, 3, 0.0, False)),
        (RuntimeError, "the seed and the offset", lambda: BACKWARD(
            x, x, x, x, *saved, None, None, None, 3, 3, 0.5, False)),
        (NotImplementedError, "several lengths", lambda: BACKWARD(
            x, x, x, x, *saved, None, x.new_zeros(2).int(), x.new_zeros(2).int(), 3, 3, 0.0, False)),
        (NotImplementedError, "several lengths", lambda: torch.ops.aten._cudnn_attention_forward(
            x, x, x, None, x.new_zeros(2).int(), None, 3, 3, True)),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            call()
    y = x.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="compute_log_sumexp=True"):
        ATTENTION(y, x, x, None, False)[0].sum().backward()


def test_gradients_have_no_derivative():
    x = torch.randn(1, 1, 4, 8, device="cuda", dtype=torch.half, requires_grad=True)
    with sdpa_kernel(CUDNN):
        (grad,) = torch.autograd.grad(F.scaled_dot_product_attention(x, x, x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative"):
        grad.sum().backward()
