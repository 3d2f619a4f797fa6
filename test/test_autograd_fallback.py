"""Operators defined at run time without derivatives: backward warns or raises an error."""

import warnings

import pytest

import torch

NAME = "autograd_fallback_test"


@pytest.fixture(scope="module")
def ops():
    library = torch.library.Library(NAME, "DEF")
    for schema, kernel, key in (
        ("double(Tensor x) -> Tensor", lambda x: x * 2, "CPU"),
        ("opaque(Tensor x) -> Tensor", lambda x: torch.from_numpy(x.detach().numpy() * 2), "CPU"),
        ("anywhere(Tensor x) -> Tensor", lambda x: x * 2, "CompositeExplicitAutograd"),
        ("composite(Tensor x) -> Tensor", lambda x: x * 2, "CompositeImplicitAutograd"),
        ("both(Tensor x) -> (Tensor, Tensor)", lambda x: (x * 2, x.long()), "CPU"),
        ("each(Tensor[] x) -> Tensor[]", lambda x: [t * 2 for t in x], "CPU"),
        ("add_one_(Tensor(a!) x) -> Tensor(a!)", lambda x: x.add_(1), "CPU"),
        ("count(Tensor x) -> int", lambda x: x.numel(), "CPU"),
    ):
        library.define(schema)
        library.impl(schema.split("(")[0], kernel, key)
    yield getattr(torch.ops, NAME)
    library._destroy()


@pytest.fixture(autouse=True)
def mode():
    before = torch._C._get_autograd_fallback_mode()
    yield torch._C._set_autograd_fallback_mode
    torch._C._set_autograd_fallback_mode(before)


def leaf():
    return torch.ones(2, 3, requires_grad=True)


TELLS = "an autograd kernel was not registered"


def test_backward_warns(ops):
    assert torch._C._get_autograd_fallback_mode() == "warn"
    for f in (ops.double, ops.anywhere, lambda x: ops.both(x)[0], lambda x: ops.each([x, torch.ones(2)])[0],
              lambda x: ops.add_one_(x * 2), lambda x: ops.double(x).mul_(1)):  # fmt: skip
        x = leaf()
        y = f(x)
        with pytest.warns(UserWarning, match=TELLS):
            y.sum().backward()
        assert x.grad.eq(2).all()


def test_a_result_without_history_gets_one(ops):
    x = leaf()
    y = ops.opaque(x * 1)
    assert y.requires_grad and not y.is_leaf and y.grad_fn.name() == "WarnNotImplemented"
    with pytest.warns(UserWarning, match=f"{NAME}::opaque"):
        y.sum().backward()
    assert x.grad is None
    results = ops.both(leaf())
    assert results[0].requires_grad and not results[1].requires_grad
    assert ops.count(leaf()) == 6


def test_a_view_that_is_changed(ops):
    x = leaf()
    y = x * 1
    ops.add_one_(y[0])
    with pytest.warns(UserWarning, match="add_one_"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="leaf"):
        ops.add_one_(leaf())


def test_nothing_to_tell(ops, mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = leaf()
        ops.composite(x).sum().backward()
        assert x.grad.eq(2).all()
        with torch.no_grad():
            assert not ops.opaque(x).requires_grad
        assert not ops.opaque(torch.ones(2)).requires_grad
        mode("nothing")
        ops.double(x).sum().backward()
        assert x.grad.eq(4).all() and not ops.opaque(x).requires_grad


def test_modes(ops, mode):
    mode("error")
    for f in (ops.double, ops.opaque):
        with pytest.raises(RuntimeError, match=TELLS):
            f(leaf()).sum().backward()
    with pytest.raises(RuntimeError, match="nothing, warn, error"):
        mode("foo")
    with pytest.raises(TypeError, match="string"):
        mode(3)


def test_a_derivative_silences(ops):
    with torch.library._scoped_library(NAME, "FRAGMENT") as library:
        library.define("square(Tensor x) -> Tensor")
        library.impl("square", lambda x: x * x, "CPU")
        torch.library.register_autograd(
            f"{NAME}::square",
            lambda ctx, g: g * 2 * ctx.saved_tensors[0],
            setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
            lib=library,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x = leaf()
            ops.square(x).sum().backward()
            assert x.grad.eq(2).all()


def test_custom_op_refuses():
    @torch.library.custom_op(f"{NAME}::custom", mutates_args=())
    def custom(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    y = custom(leaf())
    assert y.requires_grad
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        y.sum().backward()
    assert not custom(torch.ones(2)).requires_grad
    custom.register_autograd(lambda ctx, g: g * 2)
    x = leaf()
    custom(x).sum().backward()
    assert x.grad.eq(2).all()
