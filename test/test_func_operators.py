"""Every operator of the table under vmap, compared with one call for each example."""

import warnings

import ops
import pytest
from vmap_samples import comparisons, looped, tensors_in

import torch
from torch.utils._pytree import tree_leaves

READS = "reads elements as numbers: lengths, counts, positions or flags decide what is computed"
SHAPE = "the shape of the result depends on elements"
IN_PLACE = "changes a tensor in place that is the same for all examples"
RANDOM = "draws random numbers"
STORAGE = "changes the storage"
OUT = "vmap does not support forms with out="  # of any operator whose samples call that form
WITHIN = "takes strides or a memory layout, which the batch takes part in"

# operator -> why some of its samples do not run under vmap, and a part of the error's message
EXCEPTIONS = {
    **dict.fromkeys(
        "allclose equal _local_scalar_dense item is_nonzero linspace logspace istft _foreach_addcmul _foreach_addcdiv cov "
        "tensor_split narrow narrow_copy quantile nanquantile ctc_loss _ctc_loss_backward _ctc_loss_backward.of_scores "
        "_ctc_loss one_hot batch_norm_update_stats batch_norm_backward _batch_norm_impl_index_backward "
        "_grid_sampler_2d_cpu_fallback_backward".split(),
        (READS, "vmap"),
    ),
    **dict.fromkeys(
        "index index_put masked_select nonzero argwhere nonzero_numpy repeat_interleave bincount where _unique2 unique_dim "
        "unique_consecutive unique_dim_consecutive _unique _rowwise_prune".split(),
        (SHAPE, "vmap: "),
    ),
    **dict.fromkeys(
        "float_power_ copy_ fill_ _foreach_copy _index_put_impl_ _batch_norm_with_update embedding_renorm "
        "_batch_norm_with_update_functional from_file _sobol_engine_ff_ "
        "__iand__ __ior__ __ixor__ __ilshift__ __irshift__".split(),
        (IN_PLACE, "vmap"),
    ),
    **dict.fromkeys("rrelu rrelu_with_noise rrelu_with_noise_functional".split(), (RANDOM, "randomness=")),
    **dict.fromkeys("resize_as_ set_ resize_ resize resize_as set".split(), (STORAGE, "vmap: ")),
    **dict.fromkeys("view view_copy".split(), (WITHIN, "view")),
    "mkldnn_rnn_layer_backward": ("the workspace of one example is not a slice of a batch's", "workspace"),
}  # fmt: skip
# Results that depend on where elements lie in memory.
SKIPPED = {"as_strided", "as_strided_copy", "as_strided_scatter", "_reshape_alias_copy", "_fused_sdp_choice"}
# Random numbers are in test_func.py; optimizers change their arguments, and properties are those of the memory.
FAMILIES = {"random", "samplers", "dropout", "optim", "properties"}

TABLE = [op for op in ops.all_ops() if op.values and not op.factory and op.family not in FAMILIES and op.name not in SKIPPED]


def is_expected(op, error):
    return OUT in str(error) or (op.name in EXCEPTIONS and EXCEPTIONS[op.name][1] in str(error))


def small_samples(op, dtype, count=10):
    found = []
    for sample in op.samples(dtype):
        tensors = [x for x in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(x, torch.Tensor)]
        if sum(x.numel() for x in tensors) < 2000:
            found.append(sample)
    return found[:count]


@pytest.mark.parametrize("op", TABLE, ids=lambda op: f"{op.family}-{op.name}")
def test_vmap_equals_loop(op):
    dtype = torch.float64 if torch.float64 in op.dtypes else op.dtypes[0]
    tolerance = {"rtol": 1e-6, "atol": 1e-7} if dtype == torch.float64 else {"rtol": 1e-3, "atol": 1e-3}
    for sample in small_samples(op, dtype):
        for dims, function, batched, rows in comparisons(op, sample):
            try:
                expected = looped(function, rows)
            except Exception:  # the values made for the batch are not valid ones of this operator
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    copies = [x.clone() for x in batched]
                    results = torch.vmap(lambda *xs, f=function: tensors_in(f(*xs)), in_dims=dims)(*copies)
            except RuntimeError as error:
                assert is_expected(op, error), f"in_dims {dims}: {error}"
                continue
            assert len(results) == len(expected)
            for got, want in zip(results, expected):
                torch.testing.assert_close(got, want, equal_nan=True, **tolerance)


# Of the operators above, those whose second derivatives or backward formulas are refused as well.
NOT_DIFFERENTIATED = {"masked_scatter"}


def differentiable_samples():
    for op in TABLE:
        if op.grad and torch.float64 in op.dtypes and op.name not in NOT_DIFFERENTIATED:
            yield op


def checked(op, compute, expected):
    try:
        results = tensors_in(compute())
    except RuntimeError as error:
        assert is_expected(op, error), error
        return
    for got, want in zip(results, expected):
        torch.testing.assert_close(got, want, equal_nan=True, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", differentiable_samples(), ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_gradients_equal_a_loop(op):
    """grad under vmap, vmap under grad, and the Jacobians, against autograd on one example at a time."""
    for sample in small_samples(op, torch.float64, 4):
        for dims, function, batched, rows in list(comparisons(op, sample))[:1]:
            floats = tuple(k for k, x in enumerate(batched) if x.is_floating_point())
            if not floats or sum(x.numel() for x in rows[0]) > 80:
                continue
            compare_gradients(op, dims, function, batched, rows, floats)


def compare_gradients(op, dims, function, batched, rows, floats):
    def parts(*xs):
        return [x for x in tensors_in(function(*xs)) if x.is_floating_point() or x.is_complex()]

    def number(*xs):
        return sum(x.abs().square().sum() if x.is_complex() else x.sum() for x in parts(*xs))

    def of_one(row):
        row = [x.clone().requires_grad_(k in floats) for k, x in enumerate(row)]
        inputs = [row[k] for k in floats]
        return torch.autograd.grad(number(*row), inputs, allow_unused=True, materialize_grads=True)

    try:
        expected = [torch.stack(found) for found in zip(*map(of_one, rows))]
    except Exception:  # no derivative, or no valid values
        return
    per_example = torch.vmap(torch.func.grad(number, floats), dims)
    checked(op, lambda: per_example(*[x.clone() for x in batched]), expected)
    of_batch = torch.func.grad(lambda *xs: torch.vmap(number, dims)(*xs).sum(), floats)
    moved = [want.movedim(0, dims[k]) for want, k in zip(expected, floats)]
    checked(op, lambda: of_batch(*[x.clone() for x in batched]), moved)

    def real_parts(*xs):
        return tuple(x for x in parts(*[x.clone() for x in xs]) if not x.is_complex())

    row = rows[0]
    if not real_parts(*row):
        return
    chosen = lambda *xs: real_parts(*[xs[floats.index(k)] if k in floats else x for k, x in enumerate(row)])  # noqa: E731
    inputs = tuple(row[k] for k in floats)
    jacobian = tensors_in(torch.autograd.functional.jacobian(chosen, inputs))
    checked(op, lambda: torch.func.jacrev(chosen, tuple(range(len(inputs))))(*inputs), jacobian)
    if op.gradgrad is not False:
        checked(op, lambda: torch.func.jacfwd(chosen, tuple(range(len(inputs))))(*inputs), jacobian)
