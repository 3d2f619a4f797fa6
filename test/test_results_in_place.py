"""What an operator returns may be changed in place: the gradients are those of the same change out of place."""

import pytest
from ops import all_ops
from test_ops import differentiable, first_dtype, tensors

import torch

OPS = [op for op in all_ops() if op.dtypes]
IDS = {"ids": lambda op: f"{op.name}"}
# Their schemas do not say that they return views: an input may be returned reshaped or unchanged.
OF_INPUTS = set(
    "meshgrid meshgrid.default einsum reshape narrow flatten ravel broadcast_tensors atleast_1d atleast_2d atleast_3d "
    "mT mH matrix_H numpy_T adjoint alias imag real view_as_real view_as_complex contiguous conj squeeze "
    "unflatten cartesian_prod".split()
)


def small(op, dtype, device):
    """Samples whose tensors are quick to differentiate."""
    for s in op.samples(dtype, device):
        if all(t.numel() < 200 for t in tensors([s.input, list(s.args)])):
            yield s


@pytest.mark.parametrize("op", [o for o in OPS if not o.view and o.name not in OF_INPUTS and o.name != "backward"], **IDS)
@pytest.mark.parametrize("grad", ["grad", "no_grad"])
def test_results_are_no_views(op, grad, device):
    for s in small(op, first_dtype(op), device):
        if grad == "grad":
            inputs, fn = differentiable(op, s)
            try:
                results = tensors(fn(*inputs))
            except RuntimeError as e:
                if "don't support automatic differentiation" in str(e):
                    continue  # the entry calls the out= form
                raise
            assert all(x.is_leaf for x in inputs), f"an argument has become a result for {s}"
        else:
            inputs = tensors([s.input, list(s.args)])
            with torch.no_grad():
                results = tensors(op.fn(s.input, *s.args, **s.kwargs))
        several = len(results) > 1  # pieces of one tensor, unless they have a history of their own
        for t in results:
            if not any(t is x for x in inputs) and not (several and grad == "no_grad"):
                assert not t._is_view(), f"a view of {tuple(t._base.shape)} for {s}"


def zero_some(t):
    return t * (torch.arange(t.numel()).reshape(t.shape) % 2)


CHANGES = {
    "mul": (lambda t: t.mul_(2), lambda t: t * 2),
    "add": (lambda t: t.add_(1), lambda t: t + 1),
    "square": (lambda t: t.square_(), lambda t: t.square()),
    "zero_some": (lambda t: t.mul_((torch.arange(t.numel()).reshape(t.shape) % 2).to(t.dtype)), zero_some),
    "piece": (lambda t: t.view(-1)[: t.numel() // 2].tanh_() if t.is_contiguous() else t.tanh_(),
              lambda t: torch.cat([t.reshape(-1)[: t.numel() // 2].tanh(), t.reshape(-1)[t.numel() // 2 :]]) if t.is_contiguous()
              else t.tanh()),
}  # fmt: skip
# Errors of the function, not of the change: its gradient needs the value, or the result may not be changed.
REFUSED = ("modified by an inplace operation", "is being modified inplace", "more than one element of the written-to tensor",
           "some elements of the input tensor", "leaf Variable")  # fmt: skip


# The windows of as_strided overlap, so they cannot be changed in place.
@pytest.mark.parametrize("op", [o for o in OPS if o.grad and torch.float64 in o.dtypes and o.name != "as_strided"], **IDS)
@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_the_result(op, change, device):
    in_place, out_of_place = CHANGES[change]
    for s in small(op, torch.float64, device):
        leaves, fn = differentiable(op, s)
        if not leaves or op.view and sum(t.numel() for t in fn(*leaves)) > sum(t.numel() for t in leaves):
            continue  # windows that overlap would be changed twice

        def gradients(changed):
            torch.manual_seed(0)
            results = fn(*(x * 1 for x in leaves))
            values = [changed(t) if t.requires_grad and t.numel() else t for t in results]
            if change == "piece" and changed is in_place:
                values = results
            total = torch.zeros((), dtype=torch.float64)
            for v in values:
                v = torch.view_as_real(v) if v.is_complex() else v
                total = total + (v * torch.arange(1.0, v.numel() + 1, dtype=v.dtype).reshape(v.shape)).sum()
            return torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True) if total.requires_grad else ()

        expected = gradients(lambda t: out_of_place(t).reshape(t.shape))
        try:
            found = gradients(in_place)
        except RuntimeError as e:
            assert any(words in str(e) for words in REFUSED), e
            continue
        for x, y in zip(found, expected):
            torch.testing.assert_close(x, y, equal_nan=True)
