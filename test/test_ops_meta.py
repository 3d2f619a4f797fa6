"""The table of operators on the meta device: shapes, types, strides and errors are those of the CPU, in every form."""

import pytest
from ops import all_ops
from ops.common import VALUES
from ops.shared.devices import DEVICES, MovedTo
from test_ops import first_dtype, tensors

import torch

pytestmark = pytest.mark.skipif("meta" not in DEVICES, reason="meta is not among TEST_DEVICES")
OPS = all_ops()
IDS = {"ids": lambda op: op.name}


def described(x):
    return [(t.shape, t.dtype, t.stride() if t.numel() else ()) for t in tensors(x)]


def compare(op, call):
    """call(sample) on the CPU and on meta. It is None where the sample does not fit the form."""
    for s, m in zip(op.samples(first_dtype(op)), op.samples(first_dtype(op), "meta")):
        expected = call(s)
        if expected is None:
            continue
        result = call(m)
        assert all(t.is_meta for t in tensors(result))
        assert described(result) == described(expected), f"of {s}"


@pytest.mark.parametrize("op", [o for o in OPS if o.meta], **IDS)
def test_function(op):
    compare(op, lambda s: op.fn(s.input, *s.args, **s.kwargs))


@pytest.mark.parametrize("op", [o for o in OPS if o.meta and o.method], **IDS)
def test_method(op):
    compare(op, lambda s: getattr(s.input, op.name.split(".")[-1])(*s.args, **s.kwargs))


@pytest.mark.parametrize("op", [o for o in OPS if o.meta and o.inplace], **IDS)
def test_inplace(op):
    shapes = [op.fn(s.input, *s.args, **s.kwargs).shape == s.input.shape or op.view for s in op.samples(first_dtype(op))]
    fits = iter([fit for fit in shapes for _ in ("cpu", "meta") if fit or _ == "cpu"])

    def call(s):
        if next(fits):
            return getattr(s.input.clone(), op.name.split(".")[-1] + "_")(*s.args, **s.kwargs)

    compare(op, call)


@pytest.mark.parametrize("op", [o for o in OPS if o.meta and o.out], **IDS)
def test_out(op):
    def call(s):
        outs = tuple(torch.empty(0, dtype=t.dtype, device=t.device) for t in tensors(op.fn(s.input, *s.args, **s.kwargs)))
        return op.fn(s.input, *s.args, **s.kwargs, out=outs if len(outs) > 1 else outs[0])

    compare(op, call)


@pytest.mark.parametrize("op", [o for o in OPS if o.meta and o.errors], **IDS)
def test_errors(op):
    for call, error, pattern, *needs in op.errors:
        if VALUES in needs:
            continue
        with torch.device("meta"), MovedTo("meta"), pytest.raises(error, match=pattern):
            call()
