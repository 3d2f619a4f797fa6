"""Views, changes in place, and what autograd makes of both."""

import pytest

import torch

VIEWS = {
    "all": lambda x: x.view(x.shape),
    "alias": lambda x: x[...],
    "row": lambda x: x[1],
    "rows": lambda x: x[1:],
    "every_second": lambda x: x[:, ::2],
    "narrow": lambda x: x.narrow(1, 1, 2),
    "select": lambda x: x.select(1, -1),
    "t": lambda x: x.t(),
    "permute": lambda x: x.permute(1, 0),
    "transpose": lambda x: x.transpose(0, 1),
    "diagonal": lambda x: x.diagonal(1),
    "flat": lambda x: x.view(-1),
    "reshape": lambda x: x.reshape(2, 6),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[:1].squeeze(0),
    "unflatten": lambda x: x.unflatten(1, (2, 2)),
    "flatten": lambda x: x.flatten(),
    "as_strided": lambda x: x.as_strided((2, 3), (4, 1), 1),
    "movedim": lambda x: x.movedim(0, 1),
    "mT": lambda x: x.mT,
    "T": lambda x: x.T,
    "unfold": lambda x: x.unfold(1, 2, 2),
    "expanded_alone": lambda x: x.expand(3, 4),
    "detour": lambda x: x.t()[1:].unsqueeze(0).transpose(0, 2),
}
CHANGES = {
    "mul": lambda v, w: v.mul_(w),
    "add": lambda v, w: v.add_(w, alpha=2),
    "sin": lambda v, w: v.sin_(),
    "exp": lambda v, w: v.exp_(),
    "fill": lambda v, w: v.fill_(w),
    "zero": lambda v, w: v.zero_(),
    "copy": lambda v, w: v.copy_(w.expand(v.shape)),
    "clamp": lambda v, w: v.clamp_(-0.5, 0.5),
    "masked_fill": lambda v, w: v.masked_fill_(v > 0, w),
    "setitem": lambda v, w: v.__setitem__(0, w),
    "addcmul": lambda v, w: v.addcmul_(w, w),
    "relu": lambda v, w: v.relu_(),
    "index_fill": lambda v, w: v.index_fill_(0, torch.tensor([0]), w),
}
KEEP_WHAT_THEY_CHANGE = {"exp", "relu"}  # backward needs it: a second change would spoil it


def matrix():
    return torch.linspace(-1.1, 1.2, 12, dtype=torch.float64).reshape(3, 4).clone().requires_grad_()


def weight():
    return torch.tensor(0.7, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("change", CHANGES)
def test_gradients_through_a_changed_view(view, change):
    def view_changes(x, w):
        base = x * 1
        v = VIEWS[view](base)
        CHANGES[change](v, w)
        return base * 2, v * 3

    def base_changes(x, w):
        base = x * 1
        v = VIEWS[view](base)
        CHANGES[change](base, w)
        return base * 2, v * 3

    def view_of_view_changes(x, w):
        base = x * 1
        outer = base.view(3, 4)
        v = VIEWS[view](outer)
        CHANGES[change](v, w)
        if change not in KEEP_WHAT_THEY_CHANGE:
            CHANGES[change](base[0], w)
        return base, outer * 2, v.sin()

    for f in (view_changes, base_changes, view_of_view_changes):
        assert torch.autograd.gradcheck(f, (matrix(), weight()))


@pytest.mark.parametrize("change", ["mul", "sin", "copy", "masked_fill"])
def test_second_gradients_through_a_changed_view(change):
    def f(x, w):
        base = x.sin()
        CHANGES[change](base.t()[1:], w)
        return base

    assert torch.autograd.gradgradcheck(f, (matrix(), weight()))


def test_complex_parts_are_views():
    def f(z):
        y = z * 1
        y.real.mul_(2)
        y.imag.add_(y.real)
        torch.view_as_real(y)[0].sin_()
        return y

    z = torch.tensor([0.3 + 0.4j, 1 - 2j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(f, (z,))


# --- who knows what about whom ---------------------------------------------------------------------------


def test_base_of_a_view_of_a_view_is_the_tensor_with_the_memory():
    x = torch.zeros(4, 4)
    v = x[1:].t()
    assert v._is_view() and v._base is x and not x._is_view() and x._base is None
    assert x.detach()._base is None or x.detach()._base is x
    assert not x.clone()._is_view() and not x.data._is_view()
    with torch.no_grad():
        assert x[0]._base is x


def test_base_gets_the_node_of_a_change_through_a_view():
    x = torch.zeros(3, requires_grad=True).clone()
    v = x[1:]
    before = v.grad_fn
    v.mul_(2)
    assert x.grad_fn.name().endswith("CopySlices") and v.grad_fn is not before and v.grad_fn.name() == "AsStridedBackward0"
    w = torch.zeros(4, requires_grad=True).clone()
    v = w.view(2, 2)
    w.mul_(2)
    assert w.grad_fn.name() == "MulBackward0" and v.grad_fn.name() == "AsStridedBackward0"


def test_a_constant_changed_by_what_requires_grad():
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.ones(3)
    v, other = x[:2], x[1:]
    v.mul_(w)
    assert x.requires_grad and v.requires_grad and other.requires_grad and not x.is_leaf and not other.is_leaf
    other.sum().backward()
    assert w.grad == 1


def test_leaf_and_views_of_leaves_stay_as_they_are():
    x = torch.ones(3, requires_grad=True)
    for change in (lambda: x.mul_(2), lambda: x.zero_(), lambda: x.copy_(torch.ones(3)), lambda: x.__setitem__(0, 1.0)):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            change()
    with pytest.raises(RuntimeError, match="view of a leaf Variable that requires grad"):
        x[1:].mul_(2)
    with pytest.raises(RuntimeError, match="view of a leaf Variable that requires grad"):
        x.view(3, 1).t().zero_()
    with torch.no_grad():
        x[1:].mul_(2)
        x.add_(1)
    assert x.is_leaf and x.tolist() == [2, 3, 3] and x._version == 2


# --- several views at once -------------------------------------------------------------------------------

SEVERAL = {
    "split": (lambda x: x.split(1), "SplitBackward0"),
    "chunk": (lambda x: x.chunk(3), "SplitBackward0"),
    "unbind": (lambda x: x.unbind(), "UnbindBackward0"),
    "split_with_sizes": (lambda x: x.split([1, 2]), "SplitWithSizesBackward0"),
    "iter": (lambda x: list(x), "UnbindBackward0"),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_outputs_of_a_multi_output_view_refuse_changes(name):
    make, node = SEVERAL[name]
    base = matrix().clone()
    views = make(base)
    assert views[0].grad_fn.name() == node and all(v._base is base for v in views)
    with pytest.raises(
        RuntimeError,
        match=f"Output 0 of {node.removesuffix('Backward0')}.* is a view and is being modified inplace.*multiple views",
    ):
        views[0].mul_(2)
    with pytest.raises(RuntimeError, match="modified inplace"):
        views[-1][0].zero_()
    views[0] + 1  # reading is fine


@pytest.mark.parametrize("name", SEVERAL)
def test_multi_output_views_of_constants_may_change(name):
    make, _ = SEVERAL[name]
    base = torch.zeros(3, 4)
    views = make(base)
    views[0].add_(1)
    assert base.sum() == 4 and base._version == 1 and views[-1]._version == 1
    with pytest.raises(RuntimeError, match="modified inplace"):
        views[0].mul_(torch.ones((), requires_grad=True))


@pytest.mark.parametrize("name", SEVERAL)
def test_multi_output_views_whose_base_changed(name):
    make, _ = SEVERAL[name]
    x = matrix()
    base = x.clone()
    views = make(base)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="modified inplace"):
        views[0].grad_fn  # noqa: B018
    base.sum().backward()
    assert (x.grad == 2).all()


def test_outputs_of_unsafe_splits_are_no_views():
    x = matrix()
    for parts in (x.clone().unsafe_split(1), x.clone().unsafe_chunk(3), x.clone().unsafe_split_with_sizes([1, 2])):
        assert not parts[0]._is_view()
        parts[0].mul_(2)
        x.grad = None
        sum(p.sum() for p in parts).backward()
        assert x.grad[0].tolist() == [2] * 4 and x.grad[1:].sum() == 8


# --- modes in which a view was made ----------------------------------------------------------------------


def test_views_made_without_grad():
    x = matrix().clone()
    with torch.no_grad():
        v = x[1]
        parts = x.unbind()
    for t in (v, parts[0]):
        with pytest.raises(RuntimeError, match="created in no_grad mode and is being modified inplace with grad mode enabled"):
            t.mul_(2)
        with torch.no_grad():
            t.mul_(2)
    assert v.requires_grad and x._version == 2
    leaf = matrix()
    with torch.no_grad():
        v = leaf[1]
    assert v.requires_grad and v.is_leaf and v.grad_fn is None and (v * 2).grad_fn.next_functions == ((None, 0), (None, 0))
    base = leaf * 1
    with torch.no_grad():
        v = base[1]
    base.mul_(2)
    with pytest.raises(RuntimeError, match="no_grad mode and its base or another view of its base has been modified inplace"):
        v.grad_fn  # noqa: B018
    constant = torch.ones(3)
    with torch.no_grad():
        v = constant[1:]
    v.mul_(2)
    with pytest.raises(RuntimeError, match="no_grad mode"):
        v.mul_(torch.ones((), requires_grad=True))


def test_views_in_inference_mode():
    x = torch.ones(3)
    with torch.inference_mode():
        inside = torch.ones(3)
        v = inside[1:]
        v.add_(1)
        of_normal = x[1:]
        assert v.is_inference() and inside.is_inference() and not of_normal.is_inference()
    assert inside.tolist() == [1, 2, 2] and not (inside + 1).is_inference() and not inside.clone().is_inference()
    of_normal.mul_(2)
    assert x.tolist() == [1, 2, 2]
    with pytest.raises(RuntimeError, match="created in inference mode and is being modified inplace in normal mode"):
        of_normal.mul_(torch.ones((), requires_grad=True))
    with torch.no_grad(), pytest.raises(RuntimeError, match="[Ii]nplace update to inference tensor"):
        inside[0].zero_()
    with pytest.raises(RuntimeError, match="[Ii]nference tensors do not track version counter"):
        inside._version  # noqa: B018
    with pytest.raises(RuntimeError, match="[Ii]nplace update to inference tensor"):
        inside.add_(1)
    with pytest.raises(RuntimeError, match="[Ii]nference tensors cannot be saved for backward"):
        inside * torch.ones(3, requires_grad=True)


# --- versions --------------------------------------------------------------------------------------------


def test_bits_as_other_numbers_are_no_view():
    x = torch.ones(3, requires_grad=True)
    bits = x.view(torch.int32)
    assert not bits._is_view() and not bits.requires_grad and not x.view(torch.float16).requires_grad
    bits.zero_()
    assert x.sum() == 0 and x._version == 1


def test_views_share_the_version_and_copies_do_not():
    x = torch.zeros(4)
    v, d, data, copy = x[:2], x.detach(), x.data, x.clone()
    v.add_(1)
    assert x._version == v._version == d._version == 1 and data._version == copy._version == 0
    d.add_(1)
    assert x._version == 2
    data.add_(1)
    assert x._version == 2 and x[0] == 3
    x[0] = 5
    x[torch.tensor([True, False, True, False])] = 6
    assert x._version == 4
    torch.add(x, 1, out=x)
    assert x._version == 5
    x.unsqueeze_(0)
    assert x._version == 6 and x.shape == (1, 4)
    x.resize_(2, 2)
    assert x._version >= 6


@pytest.mark.parametrize("spoil", ["base", "view", "other view", "detached", "setitem", "out"])
def test_what_backward_needs_must_not_have_changed(spoil):
    x = matrix()
    base = x * 1
    v = base[1:]
    other = base[:2]
    result = v.sin()
    if spoil == "base":
        base.mul_(2)
    elif spoil == "view":
        v.mul_(2)
    elif spoil == "other view":
        other.zero_()
    elif spoil == "detached":
        base.detach().zero_()
    elif spoil == "setitem":
        base[0, 0] = 1
    else:
        torch.ones(2, 4, dtype=torch.float64, out=v.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*is at version 1; expected version 0"):
        result.sum().backward()


def test_changes_that_hurt_nobody():
    x = matrix()
    base = x * 1
    result = base.exp()  # keeps its result only
    base.zero_()
    (doubled := base + 1).mul_(2)  # a sum keeps nothing
    (result.sum() + doubled.sum()).backward()
    assert torch.equal(x.grad, x.detach().exp())
    y = x * 1
    out = y.sin()
    y.data.zero_()  # nobody notices
    x.grad = None
    out.sum().backward()
    assert (x.grad == 1).all()
    result = x.exp()
    result.add_(1)
    with pytest.raises(RuntimeError, match="output 0 of Exp.*, is at version 1; expected version 0"):
        result.sum().backward()


# --- refusals --------------------------------------------------------------------------------------------


def test_refusals():
    x = matrix()
    y = x * 1
    cases = [
        (lambda: torch.zeros(1).expand(3).add_(1), RuntimeError, "more than one element of the written-to tensor"),
        (lambda: y[0].detach_(), RuntimeError, "[Cc]an't detach views in-place"),
        (lambda: torch.sin(x, out=torch.zeros_like(x)), RuntimeError, "out=.*don't support automatic differentiation"),
        (lambda: torch.sin(x.detach(), out=y), RuntimeError, "out=.*don't support automatic differentiation"),
        (lambda: y.resize_(2, 2), RuntimeError, "cannot resize variables that require grad"),
        (lambda: y.add_(torch.ones(2, 3, 4)), RuntimeError, "doesn't match the broadcast shape"),
        (lambda: torch.ones(3, dtype=torch.int).mul_(1.5), RuntimeError, "can't be cast to"),
        (lambda: y.requires_grad_(False), RuntimeError, "only change requires_grad flags of leaf"),
        (lambda: torch.ones(3, dtype=torch.int).requires_grad_(), RuntimeError, "floating point"),
        (lambda: x.detach()[1:].copy_(x.detach()[:2].expand(3, 2, 4)), RuntimeError, "must match|broadcast|doesn't match"),
    ]  # fmt: skip
    for call, error, pattern in cases:
        with pytest.raises(error, match=pattern):
            call()
    memory = torch.arange(6.0)
    with pytest.raises(RuntimeError, match="overlap|single memory location|some elements of the input tensor"):
        memory[1:].add_(memory[:-1])


# --- forms that change the shape -------------------------------------------------------------------------


def test_shapes_changed_in_place():
    def f(x):
        y = x * 1
        y.t_()
        y.unsqueeze_(0)
        y.transpose_(0, 2)
        y.squeeze_(2)
        y.mul_(2)
        y.swapaxes_(0, 1)
        return y.as_strided_((2, 3), (1, 4), 1).sin()

    assert torch.autograd.gradcheck(f, (matrix(),))
    base = torch.arange(6.0).view(2, 3)
    v = base[0]
    base.t_()
    assert base.shape == (3, 2) and v.tolist() == [0, 1, 2] and v._version == base._version == 1
    x = matrix().clone()
    v = x[1:]
    v.t_()
    v.mul_(3)
    assert x.grad_fn.name().endswith("CopySlices") and v.shape == (4, 2)


# --- hooks and kept gradients ----------------------------------------------------------------------------


def test_hooks_and_kept_gradients_follow_the_change():
    x = matrix()
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(("before", g[0, 0].item())))
    y.retain_grad()
    y.mul_(5)
    y.register_hook(lambda g: seen.append(("after", g[0, 0].item())))
    y.sum().backward()
    assert seen == [("after", 1.0), ("before", 5.0)] and y.grad[0, 0] == 1 and x.grad[0, 0] == 5


def test_a_function_that_changes_its_input():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = matrix()
    y = x * 1
    assert Double.apply(y) is y and y.grad_fn.name() == "DoubleBackward"
    v = (base := x * 1)[0]
    Double.apply(v)
    base.sum().backward()
    assert x.grad[0].tolist() == [2] * 4 and x.grad[1].tolist() == [1] * 4
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        Double.apply(x)


@pytest.mark.parametrize("several", [False, True])
def test_a_function_that_returns_a_view(several):
    class Row(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.shape = x.shape
            return (x[0], x[1]) if several else x[0]

        @staticmethod
        def backward(ctx, g, *others):
            return torch.cat([g[None], g.new_zeros(ctx.shape[0] - 1, *g.shape)])

    base = matrix() * 1
    v = Row.apply(base)[0] if several else Row.apply(base)
    assert v._base is base
    with pytest.raises(
        RuntimeError, match=f"is a view and is being modified inplace.*{'multiple views' if several else 'custom Function'}"
    ):
        v.mul_(2)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        v.grad_fn  # noqa: B018


def test_a_function_that_returns_its_input():
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = matrix()
    y = Same.apply(x)
    assert y is not x and y._base is x
    with pytest.raises(RuntimeError, match="custom Function"):
        y.mul_(2)
    y.sum().backward()
    assert (x.grad == 3).all()
