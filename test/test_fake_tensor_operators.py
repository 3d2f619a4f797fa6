"""Every operator of the table under FakeTensorMode, compared with the real call: shapes, types, strides and devices."""

import ops
import pytest

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map_only

READS = "reads elements as numbers, lengths or choices"
SHAPE = "the shape of the result depends on elements"
CHECKS = "the table's function compares values, or calls NumPy"
MEMORY = "takes memory of its own: a file, or a storage"

# operator -> why some of its samples have no fake result
EXCEPTIONS = {
    **dict.fromkeys(
        "_local_scalar_dense item is_nonzero equal allclose _ctc_loss _ctc_loss_backward _ctc_loss_backward.of_scores ctc_loss "
        "_grouped_mm _pack_padded_sequence _pad_packed_sequence gru lstm rnn_relu rnn_tanh "
        "batch_norm_update_stats cov cumprod_backward istft quantile nanquantile narrow narrow_copy tensor_split one_hot normal "
        "randint_like".split(),
        READS,
    ),
    **dict.fromkeys(
        "nonzero nonzero_numpy argwhere masked_select index where bincount repeat_interleave _rowwise_prune _unique _unique2 "
        "unique_dim unique_consecutive unique_dim_consecutive".split(),
        SHAPE,
    ),
    **dict.fromkeys(
        "_batch_norm_impl_index_backward batch_norm_backward _fused_sgd _fused_adam _fused_adamw _fused_adagrad uniform random "
        "exponential geometric cauchy log_normal normal_functional linalg_lu_factor.product linalg_lu_factor_ex.product "
        "_grid_sampler_2d_cpu_fallback_backward".split(),
        CHECKS,
    ),
    **dict.fromkeys("from_file set set_".split(), MEMORY),
}  # fmt: skip
TABLE = ops.all_ops()


def described(out):
    tensors = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]
    return [(t.shape, t.dtype, t.stride() if t.numel() else None, t.device) for t in tensors]


def plain_values(out):
    return [x for x in tree_leaves(out) if not isinstance(x, (torch.Tensor, float, complex))]


def is_expected(op, error):
    reason = EXCEPTIONS.get(op.name)
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
