"""Forward mode: dual tensors, the rules of operators, levels, and both modes on top of each other."""

import pytest
from ops import all_ops
from test_ops import differentiable, tensors

import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError

TABLE = [op for op in all_ops() if op.grad]


def small(op, dtype):
    return [s for s in op.samples(dtype) if sum(t.numel() for t in tensors([s.input, list(s.args)])) < 300]


def noise(t, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(t.shape, dtype=t.dtype, generator=generator)


def inner(a, b):
    product = (a.conj() * b).sum()
    return product.real if product.is_complex() else product


def tangent(x):
    found = fwAD.unpack_dual(x).tangent
    return torch.zeros_like(x) if found is None else found


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_forward_and_backward_agree(op):
    """<w, J v> = <J^T w, v>: gradcheck has compared J^T with differences."""
    for dtype in (torch.float64, torch.complex128):
        for s in small(op, dtype) if dtype in op.dtypes else ():
            leaves, fn = differentiable(op, s)
            if not leaves:
                continue
            torch.manual_seed(1)
            outputs = fn(*leaves)
            live = [i for i, y in enumerate(outputs) if isinstance(y, torch.Tensor) and y.requires_grad]
            if not live:
                continue
            weights = {i: noise(outputs[i], 2 + i) for i in live}
            directions = [noise(x, 100 + i) for i, x in enumerate(leaves)]
            gradients = torch.autograd.grad([outputs[i] for i in live], leaves, list(weights.values()), allow_unused=True)
            backward = sum(inner(g, v) for g, v in zip(gradients, directions) if g is not None)
            with fwAD.dual_level():
                torch.manual_seed(1)
                try:
                    duals = fn(*(fwAD.make_dual(x.detach(), v) for x, v in zip(leaves, directions)))
                except NotImplementedError:
                    assert op.gradgrad is False  # its gradient has no derivative
                    break
                forward = sum(inner(w, tangent(duals[i])) for i, w in weights.items())
            expected = torch.as_tensor(backward, dtype=forward.dtype)
            torch.testing.assert_close(forward, expected, rtol=1e-7, atol=1e-7, equal_nan=True)


def test_gradients_without_a_derivative_raise():
    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="grid_sampler_2d_backward"):
        x = fwAD.make_dual(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
        torch.nn.functional.grid_sample(x, torch.zeros(1, 1, 1, 2), align_corners=False)


X, V = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, -1.0])


def test_levels():
    with pytest.raises(RuntimeError, match="no dual level"):
        fwAD.make_dual(X, V)
    with pytest.raises(RuntimeError, match="not the current one"):
        fwAD.exit_dual_level()
    with fwAD.dual_level() as level:
        assert level == 0
        with pytest.raises(RuntimeError, match="do not nest"):
            fwAD.enter_dual_level()
        dual = fwAD.make_dual(X, V)
        assert tangent(dual).equal(V)
        with pytest.raises(RuntimeError, match="has a tangent"):
            fwAD.make_dual(dual, V)
        result = dual * 2
    assert fwAD.unpack_dual(dual) == (dual, None)
    assert "tangent" not in repr(dual) + repr(result)
    with fwAD.dual_level():
        assert fwAD.unpack_dual(dual).tangent is None
        assert tangent(fwAD.make_dual(X, V) * 2).equal(V * 2)


def test_arguments():
    with fwAD.dual_level():
        with pytest.raises(ValueError, match="tensor must be floating point"):
            fwAD.make_dual(X.long(), V)
        with pytest.raises(ValueError, match="tangent must be floating point"):
            fwAD.make_dual(X, V.long())
        with pytest.raises(RuntimeError, match=r"shape \[2\]"):
            fwAD.make_dual(X, V[:2])
        with pytest.raises(NotImplementedError, match="out="):
            torch.add(fwAD.make_dual(X, V), 1, out=torch.empty(3))


def test_printing():
    with fwAD.dual_level():
        assert repr(fwAD.make_dual(X, V)) == "tensor([1., 2., 3.], tangent=tensor([ 1.,  0., -1.]))"


def test_views_share_the_tangent():
    with fwAD.dual_level():
        x = fwAD.make_dual(X.clone(), V.clone())
        x[:2].mul_(3)
        assert x.tolist() == [3, 6, 3] and tangent(x).tolist() == [3, 0, -1]
        base = torch.zeros(2, 2)
        base[0].copy_(fwAD.make_dual(X[:2], V[:2]))
        assert tangent(base).tolist() == [[1, 0], [0, 0]]


def test_in_place_changes_do_not_reach_other_tangents():
    with fwAD.dual_level():
        x = fwAD.make_dual(X, V.clone())
        y = torch.zeros(3).add_(x)
        y.mul_(x)
        assert tangent(x).equal(V) and tangent(y).equal(2 * X * V)


def test_constants_have_no_tangent():
    with fwAD.dual_level():
        x = fwAD.make_dual(X.clone(), V.clone())
        assert fwAD.unpack_dual(x.detach()).tangent is None
        assert fwAD.unpack_dual(x.argmax()).tangent is None
        assert fwAD.unpack_dual(x > 1).tangent is None
        assert not tangent(torch.sign(x)).any()
        x.zero_()
        assert not tangent(x).any()
        y = fwAD.make_dual(X, V) * 1
        y.detach_()
        assert fwAD.unpack_dual(y).tangent is None


def test_switch():
    with fwAD.dual_level():
        x = fwAD.make_dual(X, V)
        with fwAD._set_fwd_grad_enabled(False):
            y = x * 2
        assert fwAD.unpack_dual(y).tangent is None and tangent(x * 2).equal(2 * V)


def test_modules():
    """The Jacobian of a network, column by column, and all of it by backward."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2))
    expected = torch.autograd.functional.jacobian(net, X)
    with fwAD.dual_level():
        columns = [tangent(net(fwAD.make_dual(X, e))) for e in torch.eye(3)]
    torch.testing.assert_close(torch.stack(columns, 1), expected)


def test_attention():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 4, 8, dtype=torch.float64).unbind(0)
    d = torch.randn_like(q)
    step = 1e-6
    attend = torch.nn.functional.scaled_dot_product_attention
    expected = (attend(q + step * d, k, v) - attend(q - step * d, k, v)) / (2 * step)
    with fwAD.dual_level():
        torch.testing.assert_close(tangent(attend(fwAD.make_dual(q, d), k, v)), expected, rtol=1e-6, atol=1e-8)


FUNCTIONS = {
    "mul": lambda x: x * x * x,
    "exp": lambda x: x.exp(),
    "softmax": lambda x: torch.softmax(x, 0),
    "norm": lambda x: x.norm(),
    "index": lambda x: x[[0, 0, 2]] * x,
    "in place": lambda x: x.clone().mul_(x).add_(x),
    "in place, result saved": lambda x: (x / 4).exp_() * (x / 2).sigmoid_() * (x * 1).sqrt_(),
    "in place on a view": lambda x: (x * 1)[1:].mul_(x[:2]),
    "result saved": lambda x: (x.sqrt().tanh() * x.sigmoid()).exp(),
    "matmul": lambda x: torch.outer(x, x) @ x,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_mode_over_the_other(name):
    """Hessians of w . f: forward over backward, backward over forward, and backward twice."""
    f = FUNCTIONS[name]
    x = X.double()

    def scalar(y):
        return (f(y) ** 2).sum()

    expected = torch.autograd.functional.hessian(scalar, x)
    columns, rows = [], []
    with fwAD.dual_level():
        for e in torch.eye(3, dtype=x.dtype):
            dual = fwAD.make_dual(x.clone().requires_grad_(), e)
            (gradient,) = torch.autograd.grad(scalar(dual), dual)
            columns.append(tangent(gradient).detach())
            leaf = x.clone().requires_grad_()
            rows.append(torch.autograd.grad(tangent(scalar(fwAD.make_dual(leaf, e))), leaf)[0])
    torch.testing.assert_close(torch.stack(columns, 1), expected)
    torch.testing.assert_close(torch.stack(rows), expected)


def test_gradcheck():
    x = X.double().requires_grad_()
    z = torch.complex(X.double(), V.double()).requires_grad_()
    assert gradcheck(torch.sin, x, check_forward_ad=True)
    assert gradcheck(lambda a: (a * a.conj()).exp(), z, check_forward_ad=True)
    assert gradcheck(torch.cumsum, (x, 0), check_forward_ad=True, check_backward_ad=False)
    assert gradgradcheck(torch.tanh, x, check_fwd_over_rev=True)


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2

    @staticmethod
    def jvp(ctx, direction):
        return direction * 3


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        ctx.scale = scale
        return x * y * scale

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * y * ctx.scale, gradient * x * ctx.scale, None

    @staticmethod
    def jvp(ctx, along_x, along_y, along_scale):
        assert along_scale is None
        x, y = ctx.saved_tensors
        found = along_x * y * ctx.scale
        return found if along_y is None else found + along_y * x * ctx.scale


def test_custom_functions():
    x = X.double().requires_grad_()
    assert gradcheck(lambda a: Product.apply(a, a, 3.0), x, check_forward_ad=True)
    with pytest.raises(GradcheckError, match="forward mode"):
        gradcheck(Wrong.apply, x, check_forward_ad=True)
    with fwAD.dual_level():
        y = Product.apply(fwAD.make_dual(X, V), X, 2.0)
        assert tangent(y).equal(2 * V * X) and y.equal(2 * X * X)


def test_calls_without_duals_are_as_before():
    """The kernel is installed by the first level; it does not see other tensors."""
    with fwAD.dual_level(), torch.utils.dispatch_trace(details="", print=False) as records:
        torch.ones(2) + 1
    assert not [r for r in records if "ForwardGrad" in str(r.key)]


def test_views_see_a_change_of_their_base_whose_tangent_has_a_history():
    def change(v):
        base = v * 1
        view = base.t()
        base.mul_(v)
        return view * 1

    assert gradcheck(change, torch.randn(2, 3, dtype=torch.float64, requires_grad=True), check_forward_ad=True)


def test_a_dual_of_an_expanded_tensor():
    primal, tangent = torch.ones(1, 3).expand(2, 3), torch.arange(6.0).view(2, 3)
    with fwAD.dual_level():
        dual = fwAD.make_dual(primal, tangent)
        value, derived = fwAD.unpack_dual((dual * 2).t().select(0, 1))
    assert value.tolist() == [2, 2] and derived.tolist() == [2, 8]
