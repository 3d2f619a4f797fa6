"""Every overload of the registry: it returns what the operator's function returns, and some sample of the table calls it."""

import pytest
from ops import all_ops
from ops.shared import overloads
from test_ops import assert_same, differentiable, first_dtype, tensors

import torch

OPS = all_ops()
NAMES = {op.name for op in OPS}
IDS = {"ids": lambda op: op.name}


def small(op, dtype):
    """Samples that are quick to compute, and at least one."""
    samples = list(op.samples(dtype))
    return [s for s in samples if sum(t.numel() for t in tensors([s.input, list(s.args)])) < 300] or samples[:1]


def as_tensors(x):
    """A number, or a list of numbers, as a tensor."""
    if isinstance(x, (list, tuple)) and x and all(type(v) is int for v in x):
        return [torch.tensor(x)]
    return tensors(x) if tensors(x) or not isinstance(x, (bool, int, float, complex)) else [torch.tensor(x)]


def check_overloads(op):
    """Calls the operator's overloads with the samples that fit; their names."""
    called = set()
    for overload in overloads.overloads_of(op, NAMES):
        for s in small(op, first_dtype(op)):
            fit = overloads.fitted(overload, s, op.factory)
            if fit is None:
                continue
            words = s if fit.kwargs.get("reduction") != s.kwargs.get("reduction") else fit
            with torch.no_grad():
                expected = as_tensors(op.fn(words.input, *words.args, **words.kwargs))
                changes_shape = op.view or op.name.endswith("_")
                same_shapes = [t.shape for t in expected] == [t.shape for t in tensors(s.input)]
                if overloads.is_inplace(overload) and not same_shapes and not changes_shape:
                    continue
                try:
                    result = as_tensors(overloads.call(overload, fit, expected))
                except TypeError as e:
                    if not overloads.does_not_fit(e):
                        raise
                    continue
            if overloads.is_inplace(overload):
                expected = [t.to(result[0].dtype) for t in expected]
            if op.values:
                assert_same(result[: len(expected)], expected)
            called.add(overload.name())
    return called


@pytest.mark.parametrize("op", OPS, **IDS)
def test_overloads(op):
    check_overloads(op)


def check_gradient(op):
    """Operators in derivatives are called from backward passes; test_ops.py checks their values."""
    for dtype in (torch.float64, torch.complex128):
        for s in small(op, dtype) if dtype in op.dtypes and op.grad else ():
            leaves, fn = differentiable(op, s)
            results = [t for t in fn(*leaves) if t.requires_grad] if leaves else []
            if results:
                torch.autograd.grad(results, leaves, [torch.ones_like(t) for t in results], allow_unused=True)


def called_by_forms(op):
    """Operators that Python, or a backward pass, calls for an entry: its function, method, in-place and out= forms."""
    name = op.name.split(".")[-1]
    with torch.utils.dispatch_trace(details="", print=False) as records:
        for s in small(op, first_dtype(op)):
            results = tensors(op.fn(s.input, *s.args, **s.kwargs))
            if op.method:
                getattr(s.input, name)(*s.args, **s.kwargs)
            if op.inplace and (results[0].shape == s.input.shape or op.view):
                getattr(s.input.clone(), name + "_")(*s.args, **s.kwargs)
            if op.out:
                outs = tuple(torch.empty_like(t) for t in results)
                op.fn(s.input, *s.args, **s.kwargs, out=outs if len(outs) > 1 else outs[0])
        check_gradient(op)
    return {r.op for r in records if r.depth == 0 and r.kind.startswith("call")}


# They have no kernels for the CPU. Tests of test/cuda call those of cuDNN (recurrent.py), products with out_dtype (products.py),
# the steps of batch norms over processes (batch_norm_steps.py), flash attention (attention.py) and that of cuDNN
# (cudnn_attention.py).
OF_CUDA_ALONE = {
    *(f"aten::{name}.dtype{form}" for name in ("mm", "bmm", "addmm", "baddbmm") for form in ("", "_out")),
    *(
        f"aten::batch_norm_{step}"
        for step in "stats gather_stats gather_stats_with_counts elemt backward_reduce backward_elemt".split()
    ),
    *(f"aten::_scaled_dot_product_{kernel}_attention{form}" for kernel in ("flash", "cudnn") for form in ("", "_backward")),
    *(f"aten::_cudnn_attention_{form}" for form in ("forward", "backward")),
    *(
        f"aten::_{name}"
        for name in (
            "cudnn_rnn",
            "cudnn_rnn_backward",
            "cudnn_rnn_flatten_weight",
            "cudnn_init_dropout_state",
            "use_cudnn_rnn_flatten_weight",
        )
    ),
}


def test_every_overload_is_called():
    """An overload of the registry that no sample calls fails here."""
    called = set()
    for op in OPS:
        called |= check_overloads(op) | called_by_forms(op)
    registered = {n for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    registered -= OF_CUDA_ALONE
    assert not registered - called, f"overloads that no sample of the table calls: {sorted(registered - called)}"
