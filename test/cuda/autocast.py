"""Autocast on a CUDA device: the type of every result, kept copies of parameters, training with a scaler of gradients."""

import pytest

import torch
import torch.nn.functional as F
from torch import nn

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64


def m(*shape, dtype=F32):
    return torch.rand(shape or (4, 4), device="cuda").to(dtype)


LOWERED = {
    "mm": lambda d: m(dtype=d) @ m(dtype=d),
    "mv": lambda d: torch.mv(m(dtype=d), m(4, dtype=d)),
    "addmv": lambda d: torch.addmv(m(4, dtype=d), m(dtype=d), m(4, dtype=d)),
    "addr": lambda d: torch.addr(m(dtype=d), m(4, dtype=d), m(4, dtype=d)),
    "bmm": lambda d: torch.bmm(m(2, 3, 4, dtype=d), m(2, 4, 3, dtype=d)),
    "einsum": lambda d: torch.einsum("ij,jk->ik", m(dtype=d), m(dtype=d)),
    "multi_dot": lambda d: torch.linalg.multi_dot([m(dtype=d), m(dtype=d), m(dtype=d)]),
    "vecdot": lambda d: torch.linalg.vecdot(m(dtype=d), m(dtype=d)),
    "linear": lambda d: F.linear(m(dtype=d), m(dtype=d), m(4, dtype=d)),
    "conv1d": lambda d: F.conv1d(m(1, 2, 5, dtype=d), m(3, 2, 2, dtype=d)),
    "conv2d": lambda d: F.conv2d(m(1, 2, 5, 5, dtype=d), m(3, 2, 2, 2, dtype=d), padding="same"),
    "prelu": lambda d: F.prelu(m(dtype=d), m(4, dtype=d)),
    "attention": lambda d: F.scaled_dot_product_attention(*(m(1, 2, 4, 8, dtype=d) for _ in range(3))),
    "rnn_tanh_cell": lambda d: torch.rnn_tanh_cell(m(dtype=d), m(dtype=d), m(dtype=d), m(dtype=d)),
}
RAISED = {
    "exp": lambda d: m(dtype=d).exp(),
    "log": lambda d: m(dtype=d).log(),
    "acos": lambda d: m(dtype=d).acos(),
    "pow": lambda d: m(dtype=d) ** 2,
    "rpow": lambda d: 2 ** m(dtype=d),
    "pow of tensors": lambda d: m(dtype=d) ** m(dtype=d),
    "reciprocal": lambda d: m(dtype=d).reciprocal(),
    "rsqrt": lambda d: m(dtype=d).rsqrt(),
    "softplus": lambda d: F.softplus(m(dtype=d)),
    "softmax": lambda d: m(dtype=d).softmax(0),
    "log_softmax": lambda d: m(dtype=d).log_softmax(0),
    "logsumexp": lambda d: m(dtype=d).logsumexp(0),
    "sum": lambda d: m(dtype=d).sum(),
    "sum of a dimension": lambda d: m(dtype=d).sum(0),
    "prod": lambda d: m(dtype=d).prod(),
    "cumsum": lambda d: m(dtype=d).cumsum(0),
    "cumprod": lambda d: m(dtype=d).cumprod(0),
    "norm": lambda d: m(dtype=d).norm(),
    "norm of a dimension": lambda d: m(dtype=d).norm(2, 0),
    "vector_norm": lambda d: torch.linalg.vector_norm(m(dtype=d)),
    "matrix_norm": lambda d: torch.linalg.matrix_norm(m(dtype=d)),
    "layer_norm": lambda d: F.layer_norm(m(dtype=d), [4]),
    "rms_norm": lambda d: F.rms_norm(m(dtype=d), [4]),
    "group_norm": lambda d: F.group_norm(m(dtype=d), 2),
    "cosine_similarity": lambda d: F.cosine_similarity(m(dtype=d), m(dtype=d)),
    "cdist": lambda d: torch.cdist(m(dtype=d), m(dtype=d)),
    "dist": lambda d: torch.dist(m(dtype=d), m(dtype=d)),
    "mse_loss": lambda d: F.mse_loss(m(dtype=d), m(dtype=d)),
    "cross_entropy": lambda d: F.cross_entropy(m(dtype=d), torch.zeros(4, dtype=torch.long, device="cuda")),
    "with_logits": lambda d: F.binary_cross_entropy_with_logits(m(dtype=d), m(dtype=d)),
    "interpolate": lambda d: F.interpolate(m(1, 1, 4, 4, dtype=d), scale_factor=2),
}
KEPT = {
    "relu": lambda d: m(dtype=d).relu(),
    "add": lambda d: m(dtype=d) + m(dtype=d),
    "mean": lambda d: m(dtype=d).mean(),
    "sum in a type": lambda d: m(dtype=d).sum(dtype=d),
    "softmax in a type": lambda d: m(dtype=d).softmax(0, dtype=d),
    "in place": lambda d: m(dtype=d).exp_(),
}
WIDEST = {
    "addcmul": lambda a, b: torch.addcmul(m(dtype=a), m(dtype=b), m(dtype=a)),
    "addcdiv": lambda a, b: torch.addcdiv(m(dtype=a), m(dtype=b), m(dtype=a)),
    "atan2": lambda a, b: torch.atan2(m(dtype=a), m(dtype=b)),
    "bilinear": lambda a, b: F.bilinear(m(2, 3, dtype=a), m(2, 3, dtype=b), m(4, 3, 3, dtype=a)),
    "cross": lambda a, b: torch.cross(m(2, 3, dtype=a), m(2, 3, dtype=b), dim=1),
    "dot": lambda a, b: m(4, dtype=a).dot(m(4, dtype=b)),
    "tensordot": lambda a, b: torch.tensordot(m(dtype=a), m(dtype=b), 1),
    "index_put": lambda a, b: m(4, dtype=a).index_put((torch.tensor([0], device="cuda"),), m(1, dtype=b)),
    "scatter_add": lambda a, b: m(4, dtype=a).scatter_add(0, torch.tensor([0, 1], device="cuda"), m(2, dtype=b)),
    "grid_sample": lambda a, b: F.grid_sample(m(1, 1, 4, 4, dtype=a), m(1, 2, 2, 2, dtype=b), align_corners=False),
}


@pytest.mark.parametrize("given", [F32, F16])
@pytest.mark.parametrize("lower", [F16, BF16])
def test_types(given, lower):
    with torch.autocast("cuda", dtype=lower):
        assert {name for name, f in LOWERED.items() if f(given).dtype != lower} == set()
        assert {name for name, f in RAISED.items() if f(given).dtype != F32} == set()
        assert {name for name, f in KEPT.items() if f(given).dtype != given} == set()
        assert {name for name, f in {**LOWERED, **RAISED, **KEPT}.items() if f(F64).dtype != F64} == set()
    assert {name for name, f in {**LOWERED, **RAISED}.items() if f(F32).dtype != F32} == set()


def test_the_widest_type():
    with torch.autocast("cuda"):
        for name, f in WIDEST.items():
            assert f(F16, F32).dtype == f(F32, F16).dtype == f(F32, F32).dtype == F32 and f(F16, F16).dtype == F16, name
        with pytest.raises(RuntimeError, match="expected tensors in Half or Float, got BFloat16"):
            torch.addcmul(m(dtype=F16), m(dtype=BF16), m(dtype=F16))


def test_values():
    a, b = torch.randn(5, 5), torch.randn(5, 5)
    with torch.autocast("cuda", dtype=BF16):
        found = (a.cuda() @ b.cuda()).float().log_softmax(1)
    torch.testing.assert_close(found.cpu(), (a.bfloat16() @ b.bfloat16()).float().log_softmax(1), rtol=1e-2, atol=5e-2)


def test_a_loss_that_is_refused():
    with torch.autocast("cuda"):
        for dtype in (F16, F32):
            with pytest.raises(RuntimeError, match="binary_cross_entropy is not safe .* binary_cross_entropy_with_logits"):
                F.binary_cross_entropy(m(dtype=dtype), m(dtype=dtype))
        assert F.binary_cross_entropy(torch.rand(3), torch.rand(3)).dtype == F32  # on the CPU
        with torch.autocast("cuda", enabled=False):
            F.binary_cross_entropy(m(), m())


def test_regions_of_two_devices():
    """Each lowers its own tensors, and ends alone."""
    a, b = torch.rand(3, 3), m(3, 3)
    with torch.autocast("cuda"):
        assert torch.is_autocast_enabled() and not torch.is_autocast_enabled("cpu")
        assert (a @ a).dtype == F32 and (b @ b).dtype == F16
        with torch.autocast("cpu"):
            assert (a @ a).dtype == BF16 and (b @ b).dtype == F16
            with torch.autocast("cuda", enabled=False):
                assert (a @ a).dtype == BF16 and (b @ b).dtype == F32
        assert (a @ a).dtype == F32 and (b @ b).dtype == F16
    assert (b @ b).dtype == F32 and not torch.is_autocast_enabled()


def test_a_parameter_is_lowered_once():
    weight = m().requires_grad_()

    def casts(enabled):
        with torch.utils.dispatch_trace(details="", print=False) as records, torch.autocast("cuda", cache_enabled=enabled):
            for _ in range(3):
                m(dtype=F16) @ weight
        return sum(r.op == "aten::_to_copy" and r.kind.startswith("call") for r in records) - 3  # those of m()

    assert casts(True) == casts(False) - 2
    with torch.autocast("cuda"):
        (m() @ weight).sum().backward()
    assert weight.grad.dtype == F32


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("uses_cudnn", [True, False])
def test_recurrent_layers(kind, uses_cudnn):
    layer, x = kind(4, 3, batch_first=True).cuda(), m(2, 5, 4)
    expected = layer(x)[0]
    with torch.backends.cudnn.flags(enabled=uses_cudnn), torch.autocast("cuda"):
        found = layer(x)[0]
        found.float().sum().backward()
    assert found.dtype == F16 and layer.weight_ih_l0.grad.dtype == F32
    torch.testing.assert_close(found.float(), expected, rtol=1e-2, atol=1e-2)


def test_training_with_a_scaler():
    """The losses of float16 and of float32 are about the same, and a step whose gradients overflow is skipped."""

    def losses(enabled):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 3)).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, enabled=enabled)
        x, y = torch.randn(20, 6).cuda(), torch.randint(3, (20,)).cuda()
        found = []
        for _ in range(5):
            optimizer.zero_grad()
            with torch.autocast("cuda", enabled=enabled):
                loss = F.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            found.append(loss.item())
        return found, scaler

    found, scaler = losses(True)
    expected, _ = losses(False)
    assert found[-1] < found[0] and scaler.get_scale() == 1024
    assert found == pytest.approx(expected, rel=1e-2)
    weight = m().requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    before = weight.detach().clone()
    scaler.scale((weight * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(weight, before) and scaler.get_scale() == 512


def test_custom_functions():
    class Square(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=F32)
        def forward(ctx, x):
            assert x.dtype == F32 and not torch.is_autocast_enabled("cuda")
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx, gradient):
            return 2 * gradient * ctx.saved_tensors[0]

    x = m(dtype=F16).requires_grad_()
    with torch.autocast("cuda"):
        Square.apply(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_old_names_and_the_key_in_a_trace():
    with pytest.warns(FutureWarning, match="torch.amp.autocast"), torch.cuda.amp.autocast():
        assert (m() @ m()).dtype == F16
        assert "autocast on cuda to Half" in torch._C._active_modes().splitlines()
