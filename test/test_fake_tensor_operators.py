"""Every operator of the table under FakeTensorMode, compared with the real call: shapes, types, strides and devices."""

import ops
import pytest
from table_exceptions import CHECKS, FAKE, MEMORY, READS, SHAPE

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map_only

TABLE = ops.all_ops()


def described(out):
    tensors = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]
    return [(t.shape, t.dtype, t.stride() if t.numel() else None, t.device) for t in tensors]


def plain_values(out):
    return [x for x in tree_leaves(out) if not isinstance(x, (torch.Tensor, float, complex))]


def is_expected(op, error):
    reason = FAKE.get(op.name)
    if isinstance(error, DynamicOutputShapeException):
        return reason == SHAPE
    if isinstance(error, DataDependentOutputException) or "no memory of its own" in str(error):
        return reason in (READS, CHECKS)
    return (reason == MEMORY and "meta" in str(error)) or (reason == CHECKS and "numpy()" in str(error))


@pytest.mark.parametrize("op", TABLE, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_fake_equals_real(op):
    for dtype in op.dtypes[:1]:
        for sample in op.samples(dtype):
            mode = FakeTensorMode(allow_fallback_kernels=False, allow_non_fake_inputs=True)
            args = tree_map_only(torch.Tensor, mode.from_tensor, [sample.input, *sample.args])
            kwargs = tree_map_only(torch.Tensor, mode.from_tensor, dict(sample.kwargs))
            real = op.fn(sample.input, *sample.args, **sample.kwargs)
            try:
                with mode:
                    fake = op.fn(*args, **kwargs)
            except RuntimeError as error:
                assert is_expected(op, error), f"{type(error).__name__}: {error}"
                continue
            assert described(fake) == described(real), f"of {sample}"
            assert plain_values(fake) == plain_values(real)
