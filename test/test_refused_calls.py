"""Calls that are refused whatever the values are: types without a kernel, dimensions that do not exist."""

import pytest
from ops import all_ops
from ops.common import ALL

import torch
import torch.nn.functional as F

ELEMENTWISE = {"activation", "arithmetic", "binary_math", "bitwise", "comparison", "special", "ternary", "unary", "unary_math"}
OPS = {}
for op in all_ops():
    if op.family in ELEMENTWISE and op.ref is not None:
        OPS.setdefault(op.name, (op, set()))[1].update(op.dtypes)


def refuses(call):
    try:
        call()
    except (RuntimeError, TypeError):
        return True
    return False


def of_type(x, dtype, f):
    """The same arguments, floats in another type, changed by f."""
    if isinstance(x, torch.Tensor):
        return f(x.to(dtype))
    return type(x)(of_type(v, dtype, f) for v in x) if isinstance(x, (tuple, list)) else x


@pytest.mark.parametrize("op,dtypes", list(OPS.values()), ids=list(OPS))
def test_types_are_refused_without_elements_as_with_them(op, dtypes, device):
    first = torch.float32 if torch.float32 in op.dtypes else op.dtypes[0]

    def fits(s):
        others = [a.shape for a in s.args if isinstance(a, torch.Tensor)]
        is_tensor = isinstance(s.input, torch.Tensor) and s.input.dim() > 0
        return is_tensor and s.input.shape[0] > 1 and not s.kwargs and all(shape == s.input.shape for shape in others)

    samples = [s for s in op.samples(first, device) if fits(s)]
    for dtype in ALL:
        for s in samples[:1]:
            if op.name == "where" and dtype == torch.uint8:
                continue  # taken, with a warning
            full, none = (of_type([s.input, *s.args], dtype, f) for f in (lambda t: t, lambda t: t[:0]))
            if refuses(lambda args=full: op.fn(*args)):
                assert refuses(lambda args=none: op.fn(*args)), f"{op.name} takes empty tensors of {dtype}"


POOLS = {
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "max_pool3d": lambda x: F.max_pool3d(x[..., None], (2, 2, 1)),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "reflection_pad2d": lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
    "replication_pad2d": lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"),
}


@pytest.mark.parametrize("call", [pytest.param(f, id=name) for name, f in POOLS.items()])
def test_windows(call):
    kinds = 0
    for dtype in ALL:
        x = torch.ones(1, 2, 4, 4).to(dtype)
        assert refuses(lambda x=x: call(x)) == refuses(lambda x=x[:0]: call(x)), dtype
        kinds += refuses(lambda x=x: call(x))
    assert kinds


def test_a_tensor_without_dimensions_has_none_to_name():
    x, i = torch.tensor(1.0), torch.tensor(0)
    for call in (lambda: x.roll(1, 0), lambda: torch.take_along_dim(x, i, 0), lambda: torch.linalg.cross(x, x)):
        with pytest.raises(IndexError, match="Dimension specified as .* but tensor has no dimensions"):
            call()
    assert x.roll(1) == 1 and torch.take_along_dim(x, i) == 1
    # Others count it as one dimension.
    assert x.sum(0) == x.flip(-1) == x.sort(0)[0] == x.gather(0, i) == x.softmax(-1) == 1
    for dim in (-2, 1):
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.sum(dim)


def test_values_of_complex_numbers_that_are_real():
    z = torch.tensor([3 + 4j])
    with pytest.raises(RuntimeError, match="not supported for complex"):
        z.abs_()
    assert z.abs().item() == 5 and torch.equal(torch.tensor([-1.0]).abs_(), torch.ones(1))


def test_types_of_losses_and_distributions():
    i = torch.ones(3, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="Integral inputs not supported"):
        F.kl_div(i, i, reduction="sum")
    with pytest.raises(RuntimeError, match="Complex inputs not supported"):
        F.kl_div(i.to(torch.complex64), i.to(torch.complex64), reduction="sum")
    for x in (i, i[:0]):
        with pytest.raises(RuntimeError, match="floating point"):
            x.clone().cauchy_()
