"""The precision of arithmetic on float32: torch.backends.*.fp32_precision and the older switches are one state."""

import pytest

import torch
from torch.backends import _precision, cudnn, mkldnn
from torch.backends.cuda import matmul


@pytest.fixture(autouse=True)
def as_before():
    own, allowed, name = dict(_precision._own), _precision._cudnn_allows_tf32, torch._C._get_float32_matmul_precision()
    yield
    torch._C._set_float32_matmul_precision(name)
    _precision._own.update(own)
    _precision._cudnn_allows_tf32 = allowed
    _precision._tell_kernels()


def shown():
    places = (torch.backends, matmul, cudnn, cudnn.conv, cudnn.rnn, mkldnn.matmul, mkldnn.conv, mkldnn.rnn)
    return " ".join(place.fp32_precision for place in places)


def kernels():
    """What kernels are told: products, convolutions, recurrent layers."""
    return torch._C._get_tf32()


def test_at_first():
    assert shown() == "none none none tf32 tf32 none none none" and kernels() == (False, True, True)
    assert not matmul.allow_tf32 and cudnn.allow_tf32 and torch.get_float32_matmul_precision() == "highest"


def test_values_come_from_above():
    torch.backends.fp32_precision = "tf32"
    assert shown() == "tf32 tf32 tf32 tf32 tf32 tf32 tf32 tf32" and kernels() == (True, True, True)
    cudnn.fp32_precision = "ieee"
    assert shown() == "tf32 ieee ieee ieee ieee tf32 tf32 tf32" and kernels() == (False, False, False)
    cudnn.conv.fp32_precision = "tf32"
    assert shown() == "tf32 ieee ieee tf32 ieee tf32 tf32 tf32" and kernels() == (False, True, False)
    cudnn.conv.fp32_precision = "none"
    matmul.fp32_precision = "tf32"
    assert shown() == "tf32 tf32 ieee ieee ieee tf32 tf32 tf32" and kernels() == (True, False, False)
    torch.backends.fp32_precision = "bf16"  # which GPUs do not have
    cudnn.fp32_precision = matmul.fp32_precision = "none"
    assert shown() == "bf16 none none none none bf16 bf16 bf16" and kernels() == (False, False, False)
    mkldnn.conv.fp32_precision = "ieee"
    assert shown() == "bf16 none none none none bf16 ieee bf16"


def test_older_switches_set_the_same():
    matmul.allow_tf32 = True
    assert matmul.fp32_precision == "tf32" and torch.get_float32_matmul_precision() == "high" and kernels()[0]
    matmul.allow_tf32 = False
    assert matmul.fp32_precision == "ieee" and torch.get_float32_matmul_precision() == "highest" and not kernels()[0]
    for name, ours, theirs in (("high", "tf32", "tf32"), ("medium", "tf32", "bf16"), ("highest", "ieee", "ieee")):
        torch.set_float32_matmul_precision(name)
        assert (torch.get_float32_matmul_precision(), matmul.fp32_precision, mkldnn.matmul.fp32_precision) == (name, ours, theirs)
        assert matmul.allow_tf32 == kernels()[0] == (name != "highest")
    cudnn.allow_tf32 = False
    assert cudnn.conv.fp32_precision == cudnn.rnn.fp32_precision == "none" and kernels() == (False, False, False)
    cudnn.allow_tf32 = True
    assert cudnn.conv.fp32_precision == cudnn.rnn.fp32_precision == "tf32" and kernels() == (False, True, True)
    with cudnn.flags(enabled=True, allow_tf32=False):
        assert kernels() == (False, False, False)
    assert kernels() == (False, True, True)


def test_both_ways_are_not_mixed():
    matmul.fp32_precision = "tf32"
    with pytest.raises(RuntimeError, match="not both"):
        torch.get_float32_matmul_precision()
    with pytest.raises(RuntimeError, match="allow_tf32.*not both"):
        _ = matmul.allow_tf32
    torch.set_float32_matmul_precision("highest")
    assert not matmul.allow_tf32
    cudnn.conv.fp32_precision = "ieee"
    with pytest.raises(RuntimeError, match="allow_tf32.*not both"):
        _ = cudnn.allow_tf32


@pytest.mark.parametrize(
    ("place", "name", "value", "kind"),
    [
        (matmul, "fp32_precision", "bogus", RuntimeError),
        (matmul, "fp32_precision", "bf16", RuntimeError),
        (matmul, "fp32_precision", 1, TypeError),
        (cudnn, "fp32_precision", "bf16", RuntimeError),
        (cudnn.rnn, "fp32_precision", "bogus", RuntimeError),
        (torch.backends, "fp32_precision", "bogus", RuntimeError),
        (mkldnn, "fp32_precision", "bogus", RuntimeError),
        (matmul, "allow_tf32", 2, RuntimeError),
        (cudnn, "allow_tf32", "x", RuntimeError),
        (cudnn, "enabled", 3, RuntimeError),
        (cudnn, "benchmark", None, RuntimeError),
        (cudnn, "benchmark_limit", -5, RuntimeError),
        (cudnn, "benchmark_limit", "a", RuntimeError),
        (cudnn.conv, "nosuch", 1, AttributeError),
    ],
)
def test_values_that_are_refused(place, name, value, kind):
    before = shown(), kernels(), cudnn.benchmark_limit
    with pytest.raises(kind, match=name if name != "allow_tf32" else "expects a bool"):
        setattr(place, name, value)
    assert (shown(), kernels(), cudnn.benchmark_limit) == before


def test_libraries_that_are_not_there():
    for call, name in (("linalg", "magma"), ("blas", "ck"), ("blas", "mine"), ("linalg", 1)):
        with pytest.raises(RuntimeError, match="Cannot set preferred|expected one of"):
            getattr(torch.backends.cuda, f"preferred_{call}_library")(name)
    if not torch.cuda._is_compiled():
        with pytest.raises(RuntimeError, match="cuSOLVER"):
            torch.backends.cuda.preferred_linalg_library("cusolver")
