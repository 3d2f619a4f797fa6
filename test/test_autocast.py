"""Autocast: which operators run in which type, kept copies of parameters, nesting, threads, and training."""

import gc
import threading
import time
import warnings
import weakref

import pytest
from ops import all_ops
from table_exceptions import AUTOCAST
from test_ops import tensors

import torch
import torch.nn.functional as F

BF16, F32, F64 = torch.bfloat16, torch.float32, torch.float64


def m(dtype=F32):
    torch.manual_seed(0)
    return torch.randn(4, 4).to(dtype)


LOWERED = {
    "mm": lambda a: torch.mm(a, a),
    "operator @": lambda a: a @ a,
    "matmul with a vector": lambda a: torch.matmul(a, a[0]),
    "bmm": lambda a: torch.bmm(a[None], a[None]),
    "addmm": lambda a: torch.addmm(a, a, a),
    "baddbmm": lambda a: torch.baddbmm(a[None], a[None], a[None]),
    "linear": lambda a: F.linear(a, a, a[0]),
    "nn.Linear": lambda a: torch.nn.Linear(4, 3)(a),
    "einsum": lambda a: torch.einsum("ij,jk->ik", a, a),
    "conv1d": lambda a: F.conv1d(a[None], a[:, :, None]),
    "conv2d same": lambda a: F.conv2d(a[None, None], torch.ones(1, 1, 3, 3), padding="same"),
    "conv_transpose1d": lambda a: F.conv_transpose1d(a[None], a[:, :, None]),
    "prelu": lambda a: F.prelu(a, torch.ones(1)),
    "attention": lambda a: F.scaled_dot_product_attention(a[None], a[None], a[None]),
    "MultiheadAttention": lambda a: torch.nn.MultiheadAttention(4, 2)(a, a, a)[0],
    "LSTM": lambda a: torch.nn.LSTM(4, 3)(a)[0],
    "RNN": lambda a: torch.nn.RNN(4, 3)(a)[0],
}
IN_FLOAT32 = {
    "mse_loss": lambda a: F.mse_loss(a, a * 2),
    "cross_entropy": lambda a: F.cross_entropy(a, torch.zeros(4, dtype=torch.long)),
    "binary_cross_entropy": lambda a: F.binary_cross_entropy(a.sigmoid(), torch.ones(4, 4)),
    "prod": torch.prod,
    "trace": torch.trace,
    "svdvals": torch.linalg.svdvals,
    "inv": torch.linalg.inv,
    "rfft": lambda a: torch.fft.rfft(a).real,
    "cdist": lambda a: torch.cdist(a, a),
    "pad": lambda a: F.pad(a[None], (1, 1), mode="reflect"),
}
UNTOUCHED = {
    "mv": lambda a: torch.mv(a, a[0]),
    "add": lambda a: a + 1,
    "gelu": F.gelu,
    "mm out": lambda a: torch.mm(a, a, out=a.clone()),
}


@pytest.mark.parametrize("name", [*LOWERED, *IN_FLOAT32, *UNTOUCHED])
def test_type_of_the_result(name):
    f = {**LOWERED, **IN_FLOAT32, **UNTOUCHED}[name]
    with torch.autocast("cpu"):
        if name in LOWERED:
            assert f(m()).dtype == BF16 and f(m(BF16)).dtype == BF16
        elif name in IN_FLOAT32:
            assert f(m(BF16)).dtype == F32
        else:
            assert f(m()).dtype == F32 and f(m(BF16)).dtype == BF16
    assert f(m()).dtype == F32


def test_widest_type():
    with torch.autocast("cpu"):
        assert torch.cat([m(), m(BF16)]).dtype == F32 and torch.stack([m(BF16), m(BF16)]).dtype == BF16
        assert torch.cat([m(F64), m(BF16)]).dtype == F64
        with pytest.raises(RuntimeError, match="autocast"):
            torch.cat([m(torch.float16), m(BF16)])


def test_float64_and_other_types_are_not_cast():
    with torch.autocast("cpu"):
        assert (m(F64) @ m(F64)).dtype == F64
        assert (m(torch.int64) @ m(torch.int64)).dtype == torch.int64
        with pytest.raises(RuntimeError):
            m(F64) @ m()


def test_regions_nest():
    region = torch.autocast("cpu")
    with region:
        with torch.autocast("cpu", enabled=False):
            assert (m() @ m()).dtype == F32 and not torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", dtype=torch.float16):
            assert (m() @ m()).dtype == torch.float16 and torch.get_autocast_dtype("cpu") == torch.float16
        with region:
            assert (m() @ m()).dtype == BF16
        assert torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") == BF16
    assert not torch.is_autocast_enabled("cpu")
    with pytest.raises(ZeroDivisionError), region:
        _ = 1 / 0
    assert not torch.is_autocast_enabled("cpu") and (m() @ m()).dtype == F32

    @torch.autocast("cpu")
    def product(a):
        return a @ a

    assert product(m()).dtype == BF16


def test_other_threads_are_outside():
    found = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((m() @ m()).dtype))
        thread.start()
        thread.join()
    assert found == [F32]


def test_a_parameter_is_cast_once_in_a_region():
    weight = torch.nn.Parameter(m())
    with torch.profiler.profile() as profile, torch.autocast("cpu"):
        first = F.linear(m(BF16), weight)
        second = F.linear(m(BF16), weight)
    assert sum(e.count for e in profile.key_averages() if e.key == "aten::_to_copy") == 3  # two are m()'s
    (first.float().sum() + second.float().sum()).backward()
    expected = 2 * m(BF16).float().sum(0).expand(4, 4)
    assert weight.grad.dtype == F32 and torch.allclose(weight.grad, expected, atol=0.1)
    with torch.no_grad():
        weight.zero_()
    with torch.autocast("cpu"):
        assert F.linear(m(), weight).abs().sum() == 0  # the copy of the last region is gone
        with torch.no_grad():
            F.linear(m(), weight)
        assert F.linear(m(), weight).requires_grad


def test_kept_copies_end_with_the_region():
    weight = torch.nn.Parameter(m())
    with torch.autocast("cpu"):
        F.linear(m(), weight)
    alive = weakref.ref(weight)
    del weight
    gc.collect()
    assert alive() is None


def test_unusual_settings_disable_with_a_warning():
    with pytest.warns(UserWarning, match="disables itself"):
        region = torch.autocast("cpu", dtype=F32)
    with region:
        assert (m() @ m()).dtype == F32
    with pytest.warns(UserWarning, match="not available"):
        region = torch.autocast("cuda")
    with region:
        assert not torch.is_autocast_enabled("cuda")


@pytest.mark.parametrize("cast_inputs", [None, F32])
def test_custom_functions(cast_inputs):
    seen = []

    class Twice(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx, a, options):
            seen.append((a.dtype, options["b"].dtype, torch.is_autocast_enabled("cpu")))
            return a * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            seen.append((g.dtype, torch.is_autocast_enabled("cpu")))
            return g * 2, None

    x = m(BF16).requires_grad_()
    with torch.autocast("cpu"):
        y = Twice.apply(x, {"b": m(BF16)})
    y.sum().backward()
    inside = cast_inputs is None
    dtype = cast_inputs or BF16
    assert seen == [(dtype, dtype, inside), (dtype, inside)]
    Twice.apply(m(), {"b": m()})
    assert seen[-1] == (F32, F32, False)


def test_training_in_a_region():
    torch.manual_seed(0)
    x = torch.randn(64, 8)
    y = (x.sum(1) > 0).long()
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", enabled=True)
    losses = []
    for _ in range(40):
        with torch.autocast("cpu", dtype=BF16):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    assert loss.dtype == F32 and losses[-1] < 0.3 * losses[0]
    assert all(p.dtype == F32 and p.grad.dtype == F32 for p in model.parameters())


TABLE = all_ops()


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_every_operator_runs_in_a_region(op):
    """The same shapes come out, in the same type or a lower one; values that are not rounded are about the same."""

    def run(s):
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = [v.clone() if isinstance(v, torch.Tensor) else v for v in (s.input, *s.args)]
            return tensors(op.fn(*values, **s.kwargs))

    for s in op.samples(F32 if F32 in op.dtypes else op.dtypes[0]):
        expected = run(s)
        try:
            with torch.autocast("cpu"):
                found = run(s)
        except RuntimeError as e:  # an operator that got one argument lowered by another, and takes only one type
            assert any(word in str(e) for word in ("dtype", "type", "BFloat16", "bfloat16")), e
            continue
        assert [t.shape for t in found] == [t.shape for t in expected]
        for a, b in zip(found, expected):
            assert a.dtype == b.dtype or (a.dtype, b.dtype) == (BF16, F32)
            if op.values and op.name not in AUTOCAST and a.dtype == b.dtype and not a.is_complex():
                assert a.isnan().sum() == b.isnan().sum()


def processor_has(*flags):
    try:
        with open("/proc/cpuinfo") as f:
            found = next((line.split() for line in f if line.startswith("flags")), [])
    except OSError:
        return False
    return any(flag in found for flag in flags)


@pytest.mark.skipif(not processor_has("amx_bf16"), reason="without AMX, a processor's bfloat16 products are no faster")
def test_training_in_bfloat16_is_faster():
    """By the best of several steps in turn: a network of large products, where the processor's bfloat16 counts."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(512, 1024)

    def step(enabled):
        start = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cpu", enabled=enabled):
            loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        return time.perf_counter() - start

    best = {enabled: min(step(enabled) for _ in range(3)) for enabled in (True, False)}
    for _ in range(12):
        for enabled in (True, False):
            best[enabled] = min(best[enabled], step(enabled))
    assert best[True] < 0.9 * best[False]


def test_bilinear_keeps_its_type():
    x, w = torch.randn(3, 2), torch.randn(4, 2, 2)
    with torch.autocast("cpu"):
        assert torch.nn.functional.bilinear(x, x, w).dtype == torch.float32


def test_old_names():
    with pytest.warns(FutureWarning, match="torch.amp.autocast"), torch.cpu.amp.autocast():
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
