"""Every check over every operator of the table in ops/."""

import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from ops import all_ops, families, family_of, family_of_operators
from ops.common import ALL, COMPLEX, ON_CPU, TOLERANCE, to_numpy
from ops.shared.devices import MovedTo

import torch

# TEST_OPERATORS names a file that lists operators: only these are tested, as on a device that does not have all of them yet.
LISTED = os.environ.get("TEST_OPERATORS")
NAMES = set(Path(LISTED).read_text().split()) if LISTED else None
OPS = [op for op in all_ops() if NAMES is None or op.name in NAMES]
BY_DTYPE = [pytest.param(op, dtype, id=f"{op.name}-{str(dtype)[6:]}") for op in OPS for dtype in op.dtypes]
IDS = {"ids": lambda op: op.name}
GRADS = [pytest.param(op, dtype, id=f"{op.name}-{str(dtype)[6:]}")
         for op in OPS if op.grad for dtype in (torch.float64, torch.complex128) if dtype in op.dtypes]  # fmt: skip


def tensors(x):
    """The tensors in a result, in order."""
    if isinstance(x, torch.Tensor):
        return [x]
    return [t for v in x for t in tensors(v)] if isinstance(x, (tuple, list)) else []


def assert_same(a, b, tolerance=0.0):
    a, b = tensors(a), tensors(b)
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert x.shape == y.shape and x.dtype == y.dtype and x.device == y.device
        torch.testing.assert_close(x.detach(), y.detach(), rtol=tolerance, atol=tolerance, equal_nan=True)


def kind(x):
    """Integers, floats, bools: NumPy does not always choose the same width."""
    return x.dtype.kind.replace("u", "i")


def first_dtype(op):
    return torch.float32 if torch.float32 in op.dtypes else op.dtypes[0]


@pytest.mark.parametrize("op,dtype", BY_DTYPE)
def test_reference(op, dtype, device):
    """Values and shapes are those of the NumPy reference."""
    if op.ref is None:
        pytest.skip("no reference: the other checks hold")
    for s in op.samples(dtype, device):
        ours = tensors(op.fn(s.input, *s.args, **s.kwargs))
        given = {k: to_numpy(v) for k, v in s.kwargs.items() if k != "device"}
        with np.errstate(all="ignore"):
            theirs = op.ref(to_numpy(s.input), *map(to_numpy, s.args), **given)
        theirs = list(theirs) if isinstance(theirs, (tuple, list)) else [theirs]
        assert len(ours) == len(theirs)
        tolerance = op.tolerance or TOLERANCE.get(dtype, TOLERANCE[torch.float32])
        if dtype in TOLERANCE:
            tolerance = max(tolerance, TOLERANCE[dtype])
        for x, y in zip(ours, theirs):
            y = np.asarray(y)
            assert tuple(x.shape) == y.shape, f"shape {tuple(x.shape)}, expected {y.shape} for {s}"
            assert kind(to_numpy(x)) == kind(y), f"{x.dtype}, expected {y.dtype} for {s}"
            if op.draws and device != "cpu":
                continue  # test/cuda/random_numbers.py looks at the numbers
            if op.angle and device != "cpu" and np.iscomplexobj(y):
                y = y + 2j * np.pi * np.nan_to_num(np.round((to_numpy(x).imag - y.imag) / (2 * np.pi)), posinf=0, neginf=0)
            np.testing.assert_allclose(to_numpy(x), y, rtol=tolerance, atol=tolerance, equal_nan=True, err_msg=str(s))


def refusals():
    """For each operator: the types that none of its entries has."""
    taken = {}
    for op in OPS:
        first, dtypes = taken.setdefault(op.name, (op, set()))
        dtypes.update(op.dtypes, op.takes)
    others = [(op, [d for d in ALL if d not in dtypes]) for op, dtypes in taken.values()]
    return [pytest.param(op, dtypes, id=op.name) for op, dtypes in others if dtypes]


def first_with_elements(op, dtype, device):
    """The first sample with elements; None if the type cannot represent its values."""
    with_elements = (s for s in op.samples(dtype, device) if all(t.numel() for t in tensors([s.input, list(s.args)])))
    try:
        return next(with_elements, None)
    except (RuntimeError, TypeError):
        return None


@pytest.mark.parametrize("op,dtypes", refusals())
def test_other_dtypes_are_refused(op, dtypes, device):
    """Raises PyTorch's types of error: NotImplementedError, which is a RuntimeError, or TypeError."""
    for dtype in dtypes:
        s = first_with_elements(op, dtype, device)
        if s is not None:
            try:
                op.fn(s.input, *s.args, **s.kwargs)
            except (RuntimeError, TypeError):
                continue
            pytest.fail(f"{op.name} takes {dtype}, which its entry does not list: {s}")


@pytest.mark.parametrize("op", [o for o in OPS if o.method], **IDS)
def test_method(op, device):
    name = op.name.split(".")[-1]
    for s in op.samples(first_dtype(op), device):
        assert_same(getattr(s.input, name)(*s.args, **s.kwargs), op.fn(s.input, *s.args, **s.kwargs))


@pytest.mark.parametrize("op", [o for o in OPS if o.inplace], **IDS)
def test_inplace(op, device):
    name = op.name.split(".")[-1] + "_"
    for s in op.samples(first_dtype(op), device):
        expected = op.fn(s.input, *s.args, **s.kwargs)
        if expected.shape != s.input.shape and not op.view:
            continue
        x = s.input.clone()
        version = x._version
        result = getattr(x, name)(*s.args, **s.kwargs)
        assert result is x and x._version > version
        assert_same(x, expected.to(x.dtype))


@pytest.mark.parametrize("op", [o for o in OPS if o.out], **IDS)
def test_out(op, device):
    for s in op.samples(first_dtype(op), device):
        expected = op.fn(s.input, *s.args, **s.kwargs)
        outs = tuple(torch.empty_like(t) for t in tensors(expected))
        given = outs if len(outs) > 1 else outs[0]
        result = op.fn(s.input, *s.args, **s.kwargs, out=given)
        assert all(a is b for a, b in zip(tensors(result), outs))
        assert_same(outs, expected)
        # An empty one is given the right shape.
        outs = tuple(torch.empty(0, dtype=t.dtype, device=t.device) for t in tensors(expected))
        op.fn(s.input, *s.args, **s.kwargs, out=outs if len(outs) > 1 else outs[0])
        assert_same(outs, expected)


@pytest.mark.parametrize("op", [o for o in OPS if o.view], **IDS)
def test_view(op, device):
    """The results are views of the input: each sees what is written to the other."""
    for s in op.samples(first_dtype(op), device):
        x = s.input.clone()
        results = tensors(op.fn(x, *s.args, **s.kwargs))
        assert all(t._base is x and t._version == x._version for t in results)
        x.add_(1)
        assert_same(results, op.fn(x, *s.args, **s.kwargs))
        for t in results:
            if t.numel() and 0 not in t.stride():
                t.zero_()
                assert not t.any() and t._version == x._version and x.count_nonzero() < x.numel()


def strided_copy(x):
    """The same values with gaps between them and the dimensions in another order of memory."""
    if not isinstance(x, torch.Tensor) or x.dim() == 0:
        return x
    wide = torch.empty(*(2 * n for n in reversed(x.shape)), dtype=x.dtype, device=x.device)
    view = wide.permute(*reversed(range(x.dim())))[tuple(slice(None, None, 2) for _ in x.shape)]
    view.copy_(x)
    return view


@pytest.mark.parametrize("op", [o for o in OPS if o.noncontiguous and o.dtypes], **IDS)
def test_noncontiguous(op, device):
    for s in op.samples(first_dtype(op), device):
        expected = op.fn(s.input, *s.args, **s.kwargs)
        strided = [strided_copy(x) for x in s.input] if isinstance(s.input, (list, tuple)) else strided_copy(s.input)
        result = op.fn(strided, *map(strided_copy, s.args), **{k: strided_copy(v) for k, v in s.kwargs.items()})
        assert_same(result, expected, tolerance=1e-4)


@pytest.mark.parametrize("op,dtype", GRADS)
def test_gradients(op, dtype, device):
    for s in op.samples(dtype, device):
        args, fn = differentiable(op, s)
        if args and all(a.numel() < 40 for a in args) and any(t.numel() for t in fn(*args)):
            assert torch.autograd.gradcheck(fn, args)
            second = op.grad if op.gradgrad is None else op.gradgrad
            if second and all(a.numel() < 13 for a in args) and dtype not in COMPLEX:
                assert torch.autograd.gradgradcheck(fn, args)


def differentiable(op, s):
    """The floating-point tensors of a sample as leaves, and a function of them."""
    flat, where = [], []
    inputs = list(s.input) if isinstance(s.input, (list, tuple)) else [s.input]
    for i, x in enumerate([*inputs, *s.args]):
        if isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex()):
            flat.append(x.detach().clone().requires_grad_())
            where.append(i)

    def fn(*leaves):
        values = [*inputs, *s.args]
        for i, leaf in zip(where, leaves):
            values[i] = leaf
        first = values[: len(inputs)] if isinstance(s.input, (list, tuple)) else values[0]
        result = tensors(op.fn(first, *values[len(inputs) :], **s.kwargs))
        return tuple(t for t in result if t.is_floating_point() or t.is_complex())

    return tuple(flat), fn


@pytest.mark.parametrize("op", [o for o in OPS if o.errors], **IDS)
def test_errors(op, device):
    for call, error, pattern, *needs in op.errors:
        if ON_CPU in needs and device != "cpu":
            continue
        with MovedTo(device) if device != "cpu" else nullcontext(), pytest.raises(error, match=pattern):
            call()


def test_every_family_has_its_module():
    assert families() == sorted(set(family_of_operators().values()))


@pytest.mark.parametrize("op", OPS, **IDS)
def test_the_entry_stands_in_the_module_of_its_family(op):
    assert op.family == family_of(op), f"the entry of {op.name} belongs into test/ops/{family_of(op)}.py"
