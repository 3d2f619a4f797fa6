"""torch.nn.attention: the choice of kernels, causal masks as objects, and attention with Python functions for score and mask."""

import math

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import attention
from torch.nn.attention import SDPBackend, bias, sdpa_kernel
from torch.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)


def causal(b, h, q, kv):
    return q >= kv


def inputs(batch=2, heads=4, queries=16, keys=16, width=8, dtype=torch.float64):
    torch.manual_seed(0)
    q = torch.randn(batch, heads, queries, width, dtype=dtype)
    return q, torch.randn(batch, heads, keys, width, dtype=dtype), torch.randn(batch, heads, keys, width, dtype=dtype)


def enabled():
    cuda = torch.backends.cuda
    return cuda.flash_sdp_enabled(), cuda.math_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.cudnn_sdp_enabled()


def test_sdpa_kernel_sets_the_switches_and_restores_them():
    assert enabled() == (True,) * 4
    with sdpa_kernel(SDPBackend.MATH):
        assert enabled() == (False, True, False, False)
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], set_priority=True):
            assert enabled() == (True, True, False, False)
        assert enabled() == (False, True, False, False)
    with pytest.raises(ZeroDivisionError), sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        raise ZeroDivisionError
    assert enabled() == (True,) * 4
    with pytest.raises(AssertionError, match="expected an SDPBackend"), sdpa_kernel("math"):
        pass


def test_sdpa_kernel_sets_the_order_of_preference():
    def order():
        return attention._cur_sdpa_kernel_backends(with_priority=True)

    default = order()
    assert default == [
        SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION,
    ]  # fmt: skip
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
        assert order() == [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
            assert order() == [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]
    with pytest.raises(ZeroDivisionError), sdpa_kernel([SDPBackend.CUDNN_ATTENTION], set_priority=True):
        raise ZeroDivisionError
    assert order() == default
    with pytest.raises(RuntimeError, match="numbers of all kernels"):
        torch._C._set_sdp_priority_order([0, 1])


def test_the_switches_decide_the_kernel():
    q, k, v = (x.requires_grad_() for x in inputs())
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        flash = F.scaled_dot_product_attention(q, k, v)
        with pytest.raises(RuntimeError, match="no allowed kernel"):
            F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    with sdpa_kernel(SDPBackend.MATH):
        plain = F.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(flash, plain)
    assert "Flash" in type(flash.grad_fn).__name__ and "Flash" not in type(plain.grad_fn).__name__
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION), pytest.raises(RuntimeError, match="no allowed kernel"):
        F.scaled_dot_product_attention(q, k, v)
    with pytest.raises(RuntimeError, match="are bools"):
        torch.backends.cuda.enable_math_sdp(1)


def test_names_of_backends():
    assert repr(SDPBackend.MATH) == "<SDPBackend.MATH: 0>" and int(SDPBackend.CUDNN_ATTENTION) == 3
    assert attention.WARN_FOR_UNFUSED_KERNELS is False


def test_registered_kernels():
    log = []

    class Handle:
        def remove(self):
            log.append("removed")

    attention.register_flash_attention_impl("test", register_fn=lambda: log.append("put") or Handle())
    attention.activate_flash_attention_impl("test")
    assert attention.current_flash_attention_impl() == "test" and "test" in attention.list_flash_attention_impls()
    attention.restore_flash_attention_impl()
    assert log == ["put", "removed"] and attention.current_flash_attention_impl() is None
    with pytest.raises(ValueError, match="no flash attention kernel"):
        attention.activate_flash_attention_impl("nosuch")
    with pytest.warns(UserWarning, match="nothing to restore"):
        attention.restore_flash_attention_impl()


@pytest.mark.filterwarnings("ignore:a lower right")
@pytest.mark.parametrize("queries, keys", [(5, 5), (3, 5), (5, 3)])
@pytest.mark.parametrize("make, offset", [
    (bias.causal_upper_left, lambda q, k: 0), (bias.causal_lower_right, lambda q, k: k - q),
])  # fmt: skip
def test_causal_bias(queries, keys, make, offset):
    q, k, v = inputs(queries=queries, keys=keys)
    mask = make(queries, keys)
    expected = torch.ones(queries, keys, dtype=torch.bool).tril(offset(queries, keys))
    torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v, mask), F.scaled_dot_product_attention(q, k, v, expected))
    assert mask.shape == (queries, keys) and torch.equal(mask | False, expected) and repr(mask) == repr(expected)
    with pytest.raises(ValueError, match="causal by itself"):
        F.scaled_dot_product_attention(q, k, v, mask, is_causal=True)


def test_causal_bias_errors():
    with pytest.raises(AssertionError, match="numbers of queries"):
        bias.causal_upper_left(3)
    with pytest.raises(TypeError, match="CausalVariant"):
        bias.CausalBias("upper", 1, 2)


def reference(q, k, v, score_mod=None, seen=None, scale=None):
    """One score after the other."""
    out, lse = torch.zeros_like(q[..., :0]).new_zeros(*q.shape[:3], v.size(-1)), q.new_zeros(q.shape[:3])
    for b in range(q.size(0)):
        for h in range(q.size(1)):
            for i in range(q.size(2)):
                scores = []
                for j in range(k.size(2)):
                    s = (q[b, h, i] * k[b, h, j]).sum() * (1 / math.sqrt(q.size(-1)) if scale is None else scale)
                    at = tuple(map(torch.tensor, (b, h, i, j)))
                    s = s if score_mod is None else score_mod(s, *at)
                    scores.append(s if seen is None or bool(seen(*at)) else torch.full_like(s, -torch.inf))
                scores = torch.stack(scores)
                lse[b, h, i] = torch.logsumexp(scores, 0)
                out[b, h, i] = 0 if bool((scores == -torch.inf).all()) else scores.softmax(0) @ v[b, h]
    return out, lse


SLOPES, DOCUMENTS, TABLE = torch.rand(4).double(), torch.tensor([0, 0, 0, 1, 1, 1, 1, 2]), torch.randn(32).double()
SCORES = {
    "none": None, "alibi": lambda s, b, h, q, k: s + (k - q) * SLOPES[h], "table": lambda s, b, h, q, k: s + TABLE[q - k + 10],
    "cap": lambda s, b, h, q, k: 2 * torch.tanh(s / 2), "batch": lambda s, b, h, q, k: s * (b + 1),
    "documents": lambda s, b, h, q, k: torch.where(DOCUMENTS[q] == DOCUMENTS[k], s, -torch.inf),
}  # fmt: skip
MASKS = {
    "none": None, "causal": causal, "window": lambda b, h, q, k: (q - k).abs() < 3,
    "hole": lambda b, h, q, k: (q >= k) & (q != 3),
    "heads": lambda b, h, q, k: k - q <= h, "documents": lambda b, h, q, k: DOCUMENTS[q] == DOCUMENTS[k],
}  # fmt: skip


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("block", [128, (2, 4)])
def test_flex_attention(score, mask, block):
    q, k, v = inputs(queries=8, keys=8, width=4)
    block_mask = None
    if MASKS[mask] is not None:
        block_mask = create_block_mask(MASKS[mask], None, 4 if mask == "heads" else None, 8, 8, BLOCK_SIZE=block)
    out, lse = flex_attention(q, k, v, SCORES[score], block_mask, return_lse=True)
    expected, expected_lse = reference(q, k, v, SCORES[score], MASKS[mask])
    torch.testing.assert_close(out, expected)
    torch.testing.assert_close(lse, expected_lse)
    torch.testing.assert_close(flex_attention(q, k, v, SCORES[score], block_mask), expected)


def test_gradients_reach_what_the_score_reads():
    q, k, v = inputs(queries=5, keys=5, width=3, heads=2, batch=1)
    slopes = torch.rand(2, dtype=torch.float64)
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (i != 2), None, None, 5, 5)

    def attend(q, k, v, slopes):
        out, aux = flex_attention(
            q, k, v, lambda s, b, h, i, j: s + (j - i) * slopes[h], mask, return_aux=AuxRequest(lse=True, max_scores=True)
        )
        rows = torch.tensor([0, 1, 3, 4])  # query 2 sees nothing, so its logarithm is -inf
        return out, aux.lse[..., rows], aux.max_scores[..., rows]

    assert torch.autograd.gradcheck(attend, [x.requires_grad_() for x in (q, k, v, slopes)])
    assert torch.autograd.gradcheck(lambda q, k, v: flex_attention(q, k, v, block_mask=mask), (q, k, v))


def test_shared_heads_and_batches():
    q, k, v = inputs(heads=4, queries=6, keys=5)
    k, v = k[:, :2], v[:, :2, :, :3]
    many = [x.repeat_interleave(2, 1) for x in (k, v)]
    for score in (None, SCORES["cap"]):
        out = flex_attention(q, k, v, score, enable_gqa=True, scale=0.3)
        torch.testing.assert_close(out, reference(q, *many, score, scale=0.3)[0])
    mask = create_block_mask(lambda b, h, i, j: j >= b, 2, None, 6, 5)
    out = flex_attention(q, k[:1], v[:1], block_mask=mask, enable_gqa=True)
    expected = reference(q, *(x[:1].expand(2, -1, -1, -1) for x in many), seen=lambda b, h, i, j: j >= b)[0]
    torch.testing.assert_close(out, expected)


def test_aux_output():
    q, k, v = inputs()
    out, aux = flex_attention(q, k, v, return_aux=AuxRequest())
    assert aux == (None, None)
    _, aux = flex_attention(q, k, v, return_aux=AuxRequest(max_scores=True))
    torch.testing.assert_close(aux.max_scores, (q @ k.mT / math.sqrt(8)).amax(-1))
    assert aux.lse is None
    half = [x.to(torch.bfloat16) for x in (q, k, v)]
    out, lse = flex_attention(*half, return_lse=True)
    assert out.dtype == torch.bfloat16 and lse.dtype == torch.float32
    assert flex_attention(q[:, :, :0], k, v).shape == (2, 4, 0, 8)


@pytest.mark.parametrize("error, message, call", [
    (ValueError, "both", lambda q, k, v: flex_attention(q, k, v, return_lse=True, return_aux=AuxRequest())),
    (ValueError, "number of heads", lambda q, k, v: flex_attention(q, k[:, :1], v[:, :1])),
    (ValueError, "multiple", lambda q, k, v: flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)),
    (NotImplementedError, "4 dimensions", lambda q, k, v: flex_attention(q[0], k, v)),
    (ValueError, "same width", lambda q, k, v: flex_attention(q, k[..., :4], v)),
    (RuntimeError, "must agree", lambda q, k, v: flex_attention(q, k[:, :, :4], v)),
    (ValueError, "number of batches", lambda q, k, v: flex_attention(q, k[:1], v[:1])),
    (ValueError, "for 8 queries", lambda q, k, v: flex_attention(q, k, v, block_mask=create_block_mask(causal, 1, 1, 8, 8))),
    (ValueError, "for 3 heads", lambda q, k, v: flex_attention(q, k, v, block_mask=create_block_mask(causal, 1, 3, 16, 16))),
    (TypeError, "BlockMask", lambda q, k, v: flex_attention(q, k, v, block_mask=k)),
    (TypeError, "return a tensor", lambda q, k, v: flex_attention(q, k, v, lambda s, b, h, i, j: 3)),
    (RuntimeError, "broadcasts to", lambda q, k, v: flex_attention(q, k, v, lambda s, b, h, i, j: s[..., :3])),
    (ValueError, "BACKEND", lambda q, k, v: flex_attention(q, k, v, kernel_options={"BACKEND": "X"})),
])  # fmt: skip
def test_flex_attention_errors(error, message, call):
    with pytest.raises(error, match=message):
        call(*inputs())


def test_masks():
    assert torch.equal(create_mask(causal, None, None, 3, 4)[0, 0], torch.ones(3, 4, dtype=torch.bool).tril())
    assert create_mask(causal, 2, 3, 4, 5).shape == (2, 3, 4, 5)
    hidden = create_mask(lambda s, b, h, q, k: torch.where(q >= k, s, -torch.inf), None, None, 3, 4)
    assert torch.equal(hidden, create_mask(causal, None, None, 3, 4))
    near = and_masks(causal, lambda b, h, q, k: q - k < 2)
    assert create_mask(near, None, None, 3, 3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    either = or_masks(near, lambda b, h, q, k: k == 0)
    assert create_mask(either, None, None, 3, 3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert create_mask(and_masks(), 1, 1, 1, 1).all() and not create_mask(or_masks(), 1, 1, 1, 1).any()
    with pytest.raises(RuntimeError, match="expected functions"):
        and_masks(3)
    with pytest.raises(AssertionError, match="4 positional arguments"):
        create_mask(lambda a, b: a, 1, 1, 2, 2)


def test_block_mask():
    mask = create_block_mask(causal, None, None, 300, 256)
    assert mask.shape == (1, 1, 300, 256) and mask.numel() == 76800 and mask.BLOCK_SIZE == (128, 128)
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 2]]] and mask.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert mask.kv_indices.tolist() == [[[[0, 1], [1, 0], [0, 1]]]] and mask.q_num_blocks.tolist() == [[[2, 2]]]
    assert mask.q_indices.tolist() == [[[[0, 2, 1], [1, 2, 0]]]] and mask.full_q_indices.tolist() == [[[[1, 0, 2], [0, 1, 2]]]]
    assert mask.to_dense().tolist() == [[[[1, 0], [1, 1], [1, 1]]]]
    torch.testing.assert_close(mask.sparsity(), 100 * (1 - 5 * 128 * 128 / 76800))
    assert len(mask.as_tuple()) == 17 and "mask_mod=causal" in repr(mask) and "██" in str(mask)
    assert mask.to("cpu").shape == mask.shape
    together = create_block_mask(causal, None, None, 256, 256, separate_full_blocks=False)
    assert together.full_kv_indices is None and together.kv_num_blocks.tolist() == [[[1, 2]]]


def test_block_masks_can_be_indexed_and_resized():
    mask = create_block_mask(causal, 2, 3, 300, 256)
    for index, shape in ((0, (1, 3, 3)), ((0, -1), (1, 1, 3)), ((slice(None), 1, 2), (2, 1, 1)), (..., (2, 3, 3))):
        part = mask[index]
        assert part.kv_num_blocks.shape == shape and part.q_indices.shape == (*shape[:2], 2, shape[2])
    with pytest.raises(RuntimeError, match="sliced BlockMask"):
        create_mask(mask[0].mask_mod, 1, 1, 2, 2)
    smaller = mask._adjust(100, 300)
    assert smaller.shape == (2, 3, 100, 300) and smaller.to_dense().tolist() == [[[[1, 0, 0]]] * 3] * 2


def test_blocks_decide_where_there_is_no_function():
    q, k, v = inputs(queries=8, keys=8)
    counts, columns = torch.tensor([[[1, 2]]]), torch.tensor([[[[1, 0], [0, 1]]]])
    mask = BlockMask.from_kv_blocks(counts, columns, BLOCK_SIZE=4)
    assert mask.mask_mod is noop_mask and mask.seq_lengths == (8, 8) and mask.q_num_blocks.tolist() == [[[1, 2]]]
    expected = reference(q, k, v, seen=lambda b, h, i, j: (i >= 4) | (j >= 4))[0]
    torch.testing.assert_close(flex_attention(q, k, v, block_mask=mask), expected)
    assert BlockMask.from_kv_blocks(counts, columns, compute_q_blocks=False).q_indices is None
    with pytest.raises(RuntimeError, match="2 dimensions"):
        BlockMask.from_kv_blocks(torch.tensor([1]), torch.tensor([1]))


def test_a_module_trains_with_flex_attention():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.project, self.slopes = nn.Linear(8, 24), nn.Parameter(torch.zeros(2))

        def forward(self, x, mask):
            q, k, v = (y.unflatten(-1, (2, 4)).transpose(1, 2) for y in self.project(x).chunk(3, -1))
            return flex_attention(q, k, v, lambda s, b, h, i, j: s + (j - i) * self.slopes[h], mask).transpose(1, 2).flatten(2)

    torch.manual_seed(0)
    net, x, target = Block(), torch.randn(4, 10, 8), torch.randn(4, 10, 8)
    mask, optimizer, losses = create_block_mask(causal, None, None, 10, 10), torch.optim.Adam(net.parameters(), lr=0.02), []
    for _ in range(20):
        loss = F.mse_loss(net(x, mask), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0] and net.slopes.grad.abs().min() > 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("queries", [1, 2, 3, 5, 7, 8, 9])
@pytest.mark.parametrize("keys, width", [(1, 8), (5, 64), (128, 64), (300, 20), (131, 72)])
def test_few_queries_are_attention_too(queries, keys, width, dtype):
    """Keys of a few queries are not packed; the formula in float64 is the reference, with its gradients."""
    q, k, v = inputs(2, 3, queries, keys, width)
    mask = torch.randn(queries, keys, dtype=torch.float64)
    mask[:, ::3] = -math.inf if keys > 3 else 0

    def formula(q, k, v, mask):
        return torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(width) + mask, -1) @ v

    def rounded(t):
        return t.to(dtype).double()

    seen = torch.ones(queries, keys, dtype=torch.bool).tril()
    for name, added, kwargs in (
        ("mask", rounded(mask), {"attn_mask": mask.to(dtype)}),
        ("causal", torch.zeros(queries, keys, dtype=torch.float64).masked_fill(~seen, -math.inf), {"is_causal": True}),
    ):
        exact = [rounded(t).requires_grad_() for t in (q, k, v)]
        ours = [t.to(dtype).requires_grad_() for t in (q, k, v)]
        expected, result = formula(*exact, added), F.scaled_dot_product_attention(*ours, **kwargs)
        tolerance = {torch.float32: 3e-6, torch.float64: 1e-13, torch.bfloat16: 2e-2}[dtype]
        torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance, msg=lambda m, n=name: f"{n}: {m}")
        weights = rounded(torch.randn(expected.shape, dtype=torch.float64))
        for a, b in zip(torch.autograd.grad(result, ours, weights.to(dtype)), torch.autograd.grad(expected, exact, weights)):
            torch.testing.assert_close(a.double(), b, rtol=2 * tolerance, atol=4 * tolerance, msg=lambda m, n=name: f"{n}: {m}")
