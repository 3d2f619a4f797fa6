"""In-place changes: of shape and strides only, of views, of tensors without a gradient."""

import pytest

import torch

RESHAPES = {
    "t_": (lambda v: v.t_(), lambda v: v.t()),
    "transpose_": (lambda v: v.transpose_(0, 1), lambda v: v.transpose(0, 1)),
    "swapaxes_": (lambda v: v.swapaxes_(0, -1), lambda v: v.swapaxes(0, -1)),
    "swapdims_": (lambda v: v.swapdims_(1, 0), lambda v: v.swapdims(1, 0)),
    "unsqueeze_": (lambda v: v.unsqueeze_(1), lambda v: v.unsqueeze(1)),
    "squeeze_": (lambda v: v.unsqueeze_(0).squeeze_(), lambda v: v),
    "squeeze_dim": (lambda v: v.unsqueeze_(0).squeeze_(0), lambda v: v),
    "squeeze_dims": (lambda v: v.unsqueeze_(0).squeeze_((0, 1)), lambda v: v),
    "as_strided_": (lambda v: v.as_strided_((2, 2), (1, 2), 1), lambda v: v.as_strided((2, 2), (1, 2), 1)),
}
VIEWS = {
    "none": lambda y: y,
    "view": lambda y: y.view(3, 4),
    "rows": lambda y: y[1:],
    "columns": lambda y: y[:, ::2],
    "transposed": lambda y: y.t(),
    "view of a view": lambda y: y[:2][:, 1:3],
    "expanded": lambda y: y[0].expand(3, 4),
}


def weighed(t):
    return (t * torch.arange(1.0, t.numel() + 1, dtype=t.dtype).reshape(t.shape)).sum()


# Out of place, as_strided gives no gradient to elements of the base outside the view.
PAIRS = [(change, view) for change in RESHAPES for view in VIEWS if change != "as_strided_" or view in ("none", "view")]


@pytest.mark.parametrize("change,view", PAIRS)
@pytest.mark.parametrize("then", ["read", "mul_", "base too"])
def test_reshaped_in_place(change, view, then):
    in_place, out_of_place = RESHAPES[change]

    def gradient(change):
        x = torch.linspace(0.1, 1.2, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
        y = x * 1
        v = VIEWS[view](y)
        w = change(v)
        if then == "mul_" and view != "expanded":
            w.mul_(3)
        if then == "base too":
            y.exp_() if view == "none" and w is not v else y.add_(1)
        total = weighed(w) + (y * y).sum() * (view != "none")
        return (w.detach().clone(), *torch.autograd.grad(total, x))

    for found, expected in zip(gradient(in_place), gradient(out_of_place if then != "base too" or view != "none" else in_place)):
        assert found.equal(expected)


def test_the_base_keeps_its_history():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 1
    before = y.grad_fn
    v = y.view(3, 3)
    v.t_()
    assert y.grad_fn is before and v._base is y and v.grad_fn is not None


def test_a_view_of_other_memory_leaves_its_base_alone():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    v = y[:2]
    v.set_(torch.ones(5))
    assert not v._is_view()
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_pieces_of_several_are_refused():
    for make in (lambda y: y.unbind(0)[0], lambda y: y.split(2)[0]):
        with pytest.raises(RuntimeError, match="is being modified inplace"):
            make(torch.rand(3, 3, requires_grad=True) * 1).unsqueeze_(0)


@pytest.mark.parametrize("sizes,strides", [((4,), (1,)), ((2, 4), (0, 1)), ((3, 4), (0, 1)), ((2, 2), (2, 1)), ((3, 2), (1, 1))])
def test_as_strided_of_an_expanded_tensor(sizes, strides):
    x = torch.arange(4.0, dtype=torch.float64, requires_grad=True)
    expected = torch.autograd.grad(weighed(x.as_strided(sizes, strides)), x)
    assert torch.autograd.grad(weighed(x.expand(3, 4).as_strided(sizes, strides)), x)[0].allclose(expected[0])


TWO = torch.tensor(2.0)
COMPOSITES = [("square_", ()), ("float_power_", (3,)), ("float_power_", (TWO,)), ("pow_", (3,)), ("xlogy_", (TWO,)),
              ("true_divide_", (2,)), ("arctan2_", (TWO,)), ("absolute_", ()), ("clip_", (0.2, 0.5)),
              ("multiply_", (TWO,))]  # fmt: skip


@pytest.mark.parametrize("name,args", COMPOSITES)
@pytest.mark.parametrize("view", [False, True])
def test_composites_in_place(name, args, view):
    x = torch.linspace(0.1, 0.9, 4, dtype=torch.float64, requires_grad=True)
    y = x * 1
    getattr(y[1:3] if view else y, name)(*args)
    expected = getattr(x, name[:-1])(*args)
    if view:
        expected = torch.cat([x[:1], expected[1:3], x[3:]])
    assert y.equal(expected)
    for found, right in zip(torch.autograd.grad(weighed(y), x), torch.autograd.grad(weighed(expected), x)):
        assert found.allclose(right)


@pytest.mark.parametrize("change", ["tanh_", "exp_", "sigmoid_", "sqrt_", "square_", "reciprocal_"])
@pytest.mark.parametrize("part", [slice(0, 2), slice(0, 4, 2)])
def test_double_backward_after_a_view_was_changed(change, part):
    x = torch.linspace(0.1, 0.9, 4, dtype=torch.float64, requires_grad=True)

    def changed(x):
        y = x.clone()
        getattr(y[part], change)()
        return y.sin()

    assert torch.autograd.gradcheck(changed, x) and torch.autograd.gradgradcheck(changed, x)
    first = torch.autograd.grad(changed(x).sum(), x, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), x, create_graph=True)[0]
    assert torch.autograd.grad(second.sum(), x)[0].isfinite().all()  # each once: nothing was freed


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_whole_numbers_never_require_grad(dtype):
    value = torch.ones((), requires_grad=True) * 2
    stores = (
        lambda c: c.__setitem__(0, value),
        lambda c: c[1:].copy_(value),
        lambda c: c.copy_(value),
        lambda c: c.masked_fill_(c == 0, value.detach()),
        lambda c: c.__setitem__(slice(None), value.expand(3)),
    )
    for store in stores:
        c = torch.zeros(3, dtype=dtype)
        store(c)
        assert not c.requires_grad and c.grad_fn is None and c.any()
        assert not c[0].requires_grad
