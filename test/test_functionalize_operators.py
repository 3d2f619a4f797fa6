"""Every operator of the table under torch.func.functionalize, compared with the eager call: results, and changed arguments."""

import ops
import pytest
from table_exceptions import left_out

import torch
from torch.func import functionalize
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

TABLE = [op for op in ops.all_ops() if not left_out("functionalize", op)]
# Operators that have no form without mutation change copies of their arguments.
MUTATING = frozenset(
    "_slow_conv2d_backward fill_diagonal_ adaptive_avg_pool3d_backward rand_like randn_like randint_like set_ _cummax_helper "
    "_cummin_helper _sobol_engine_ff_ _sobol_engine_scramble_ _sobol_engine_initialize_state_".split()
)


class NoMutation(TorchDispatchMode):
    """Notes the operators that change a tensor in place."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.is_mutable:
            self.found.add(str(func))
        return func(*args, **(kwargs or {}))


def tensors(out):
    return [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]


def same(op, a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert x.shape == y.shape and x.dtype == y.dtype
        if op.values:
            torch.testing.assert_close(
                x.resolve_conj().resolve_neg(), y.resolve_conj().resolve_neg(), equal_nan=True, rtol=1e-4, atol=1e-5
            )


def with_removals():
    for op in TABLE:
        yield pytest.param(op, "mutations", id=f"{op.family}-{op.name}")
        if op.name != "slice_inverse":  # reaches the memory around a view, which a copy has not
            yield pytest.param(op, "mutations_and_views", id=f"{op.family}-{op.name}-without-views")


@pytest.mark.parametrize("op, remove", list(with_removals()))
@pytest.mark.filterwarnings("ignore")
def test_functionalized_equals_eager(op, remove):
    dtype = op.dtypes[0]
    for eager, functional in zip(op.samples(dtype), op.samples(dtype)):
        torch.manual_seed(0)
        want = op.fn(eager.input, *eager.args, **eager.kwargs)
        torch.manual_seed(0)
        got = functionalize(lambda *args, s=functional: op.fn(*args, **s.kwargs), remove=remove)(
            functional.input, *functional.args
        )
        same(op, tensors(got), tensors(want))
        same(op, tensors([functional.input, *functional.args]), tensors([eager.input, *eager.args]))


@pytest.mark.parametrize("op", [op for op in TABLE if not op.factory], ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_nothing_is_changed_in_place(op):
    """What remains of a call are operators without mutation. Arguments that the function changes are copies of their own."""

    def call(*args):
        return op.fn(*args, **sample.kwargs)

    for sample in list(op.samples(op.dtypes[0]))[:5]:
        copies = tree_map_only(torch.Tensor, torch.clone, (sample.input, *sample.args))
        args = tree_map_only(torch.Tensor, torch._to_functional_tensor, copies)
        torch._enable_functionalization(reapply_views=True)
        try:
            with NoMutation() as mode:
                op.fn(*args, **sample.kwargs)
        finally:
            torch._disable_functionalization()
        assert op.name in MUTATING or not mode.found, mode.found
