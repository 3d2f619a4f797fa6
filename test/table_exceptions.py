"""Which operators of the table are left out of which run, or do not run in it, and why.

The runs: vmap against a loop, forward and reverse transforms nested two deep, functionalization, fake tensors, autocast, and
make_fx with the recorded graph replayed. An operator is in every run, unless `left_out` gives a reason. Those in the dictionaries
run with some samples only: each has the reason, and where it matters a part of the error's message. test_table_exceptions.py
checks that the names exist, and that no operator is left out without a reason.
"""

from __future__ import annotations

from typing import Any

READS = "reads elements as numbers: lengths, counts, positions or flags decide what is computed"
SHAPE = "the shape of the result depends on elements"
IN_PLACE = "changes a tensor in place that is the same for all examples"
RANDOM = "draws random numbers"
STORAGE = "changes the storage"
WITHIN = "takes strides or a memory layout, which the batch takes part in"
CHECKS = "the table's function compares values, or calls NumPy"
MEMORY = "takes memory of its own: a file, or a storage"
NUMBERS = "takes numbers out of its inputs: they decide what is computed, so that the graph holds for these inputs only"


def _each(names: str, reason: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), reason)


# --- vmap: why some samples do not run, and a part of the error's message -------------------------------------------------------

OUT = "vmap does not support forms with out="  # of any operator whose samples call that form
VMAP = {
    **_each(
        "allclose equal _local_scalar_dense item is_nonzero linspace logspace _foreach_addcmul _foreach_addcdiv "
        "tensor_split narrow narrow_copy ctc_loss _ctc_loss_backward _ctc_loss_backward.of_scores _ctc_loss one_hot",
        (READS, "vmap"),
    ),
    **_each(
        "batch_norm_update_stats batch_norm_backward _batch_norm_impl_index_backward _grid_sampler_2d_cpu_fallback_backward",
        (CHECKS, "vmap"),
    ),
    **_each(
        "index index_put masked_select nonzero argwhere nonzero_numpy repeat_interleave bincount where _unique2 unique_dim "
        "unique_consecutive unique_dim_consecutive _unique _rowwise_prune",
        (SHAPE, "vmap: "),
    ),
    **_each(
        "float_power_ copy_ fill_ _foreach_copy _index_put_impl_ _batch_norm_with_update embedding_renorm "
        "_batch_norm_with_update_functional from_file _sobol_engine_ff_ "
        "__iand__ __ior__ __ixor__ __ilshift__ __irshift__",
        (IN_PLACE, "vmap"),
    ),
    **_each("rrelu rrelu_with_noise rrelu_with_noise_functional", (RANDOM, "randomness=")),
    **_each("resize_as_ set_ resize resize_as set", (STORAGE, "vmap: ")),
    **_each("view view_copy", (WITHIN, "view")),
    "mkldnn_rnn_layer_backward": ("the workspace of one example is not a slice of a batch's", "workspace"),
}

# --- forward and reverse transforms, nested two deep ----------------------------------------------------------------------------

# Of the operators above, those whose second derivatives or backward formulas are refused as well.
NOT_DIFFERENTIATED = {"masked_scatter": "its backward formula takes a shape that depends on elements"}
NESTED: dict[str, str] = {}

# --- functionalization ----------------------------------------------------------------------------------------------------------

FUNCTIONALIZE = {
    "from_file": "the memory of a file is shared with the file",
    "linalg_lu_factor.product": "the table's function calls NumPy",
    "linalg_lu_factor_ex.product": "the table's function calls NumPy",
}

# --- fake tensors: why some samples have no fake result -------------------------------------------------------------------------

FAKE = {
    **_each(
        "_local_scalar_dense item is_nonzero equal allclose _ctc_loss _ctc_loss_backward _ctc_loss_backward.of_scores ctc_loss "
        "_grouped_mm _pack_padded_sequence _pad_packed_sequence gru lstm rnn_relu rnn_tanh "
        "narrow narrow_copy tensor_split one_hot randint_like",
        READS,
    ),
    **_each(
        "nonzero nonzero_numpy argwhere masked_select index where bincount repeat_interleave _rowwise_prune _unique _unique2 "
        "unique_dim unique_consecutive unique_dim_consecutive",
        SHAPE,
    ),
    **_each(
        "batch_norm_update_stats _batch_norm_impl_index_backward batch_norm_backward _fused_sgd _fused_adam _fused_adamw "
        "_fused_adagrad uniform random "
        "exponential geometric cauchy log_normal normal_functional linalg_lu_factor.product linalg_lu_factor_ex.product "
        "_grid_sampler_2d_cpu_fallback_backward",
        CHECKS,
    ),
    **_each("from_file set set_", MEMORY),
}

# --- autocast: whose values are not compared ------------------------------------------------------------------------------------

AUTOCAST = {
    **_each("linalg_ldl_factor linalg_ldl_factor_ex", "the pivots depend on rounding"),
}

# --- make_fx: the error's message has this part; those that run nevertheless are replayed with the same inputs only -------------

_ASKS = "asks for the number in the recorded tensor"
MAKE_FX = {
    **_each(
        "equal _local_scalar_dense item is_nonzero _foreach_addcmul _foreach_addcdiv one_hot ctc_loss _ctc_loss "
        "_ctc_loss_backward _ctc_loss_backward.of_scores randint_like tensor_split narrow narrow_copy",
        (NUMBERS, _ASKS),
    ),
    **_each(
        "from_file _grid_sampler_2d_cpu_fallback_backward _batch_norm_impl_index_backward batch_norm_backward "
        "batch_norm_update_stats _fused_sgd _fused_adam _fused_adamw _fused_adagrad normal_functional uniform exponential "
        "geometric cauchy log_normal random",
        (CHECKS, _ASKS),
    ),
    "_scaled_dot_product_efficient_attention": (
        "its backward operator takes a mask that is not there as a tensor, which a graph cannot name", "'attn_bias'",
    ),
}  # fmt: skip
# Graphs with symbols for sizes: not replayed with other sizes.
SYMBOLS = {
    "_chunk_cat": "pads where a size is no multiple of the number of chunks, which a graph for multiples does not",
    "_fused_sdp_choice": "a number that depends on the sizes, and that is another one for tensors without data",
}
# Constants, which these mark, have no gradients while they are recorded.
LIFTS = _each("lift lift_fresh lift_fresh_copy", "marks a constant, which has no gradient while it is recorded")

# --- left out of a run ----------------------------------------------------------------------------------------------------------

_UNDETERMINED = "the result is not determined: memory that nothing has written, or signs; another entry of the table compares it"
_NO_TENSORS = "takes no tensor"
_FAMILIES = {
    ("vmap", "random"): "test_func_operators.py has a run of its own for random numbers",
    ("vmap", "samplers"): "test_func_operators.py has a run of its own for random numbers",
    ("vmap", "dropout"): "test_func_operators.py has a run of its own for random numbers",
    ("vmap", "optim"): "changes parameters that are the same for all examples",
    ("vmap", "properties"): "returns a number, which is that of one example whatever the batch",
    ("functionalize", "properties"): "tells of the memory of a tensor, which a functional tensor has not",
}  # fmt: skip
_MEMORY_OF_A_BATCH = _each(
    "as_strided as_strided_copy as_strided_scatter _reshape_alias_copy _fused_sdp_choice",
    "the result depends on where elements lie in memory, which for a batch is elsewhere",
)


def left_out(run: str, op: Any) -> str:
    """Why an operator is not in a run; "" for one that is.

    Args:
        run (str): "vmap", "nested", "functionalize", "fake", "autocast" or "make_fx"
        op (Op): an entry of the table
    """
    if run in ("vmap", "nested", "make_fx"):
        if op.factory:
            return _NO_TENSORS
        if not op.values:
            return _UNDETERMINED
    if run == "nested":
        import torch

        if not op.grad or op.gradgrad is False or torch.float64 not in op.dtypes:
            return "has no second derivative"
        if op.name in NOT_DIFFERENTIATED:
            return NOT_DIFFERENTIATED[op.name]
    if run in ("vmap", "nested") and (("vmap", op.family) in _FAMILIES):
        return _FAMILIES["vmap", op.family]
    if run in ("vmap", "nested") and op.name in _MEMORY_OF_A_BATCH:
        return _MEMORY_OF_A_BATCH[op.name]
    if run == "functionalize" and op.name in FUNCTIONALIZE:
        return FUNCTIONALIZE[op.name]
    return _FAMILIES.get((run, op.family), "")
