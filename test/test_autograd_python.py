"""The Python side of autograd: modes, backward and grad, functions, hooks, checks."""

import pytest

import torch
from torch.autograd import Function, functional, grad, gradcheck, gradgradcheck


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_grad_modes():
    x = leaf(1.0)

    @torch.no_grad()
    def silent():
        return x * 2

    @torch.no_grad
    def bare():
        return x * 2

    @torch.enable_grad()
    def modes():
        yield torch.is_grad_enabled()

    assert not silent().requires_grad and not bare().requires_grad and silent.__name__ == "silent"
    with torch.no_grad():
        assert list(modes()) == [True] and not torch.is_grad_enabled()
    with torch.inference_mode():
        assert (x * 2).is_inference()
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    with torch.set_grad_enabled(True):
        assert torch.is_grad_enabled()
    torch.set_grad_enabled(True)


def test_grad():
    x, y = leaf(1.0, 2.0), leaf(3.0)
    assert grad((x**2).sum(), x)[0].tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="implicitly created only for scalar outputs"):
        grad(x * 2, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        grad(x * 2, x, torch.ones(3))
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        grad(x.sum(), [x, y])
    assert grad(x.sum(), [x, y], allow_unused=True)[1] is None
    assert grad(x.sum(), [x, y], materialize_grads=True)[1].tolist() == [0.0]
    rows = grad(x**2, x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)[0]
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    first = grad((x**3).sum(), x, create_graph=True)[0]
    assert grad(first.sum(), x)[0].tolist() == [6.0, 12.0]


class Scaled(Function):
    @staticmethod
    def forward(a, b, factor=2.0):
        return a * b * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, ctx.factor = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return gradient * b * ctx.factor, gradient * a * ctx.factor, None


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient


def test_functions():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    assert Scaled.apply(x, y).tolist() == [6.0, 16.0]
    assert grad(Scaled.apply(x, y, 3.0).sum(), [x, y])[0].tolist() == [9.0, 12.0]
    assert gradcheck(Scaled.apply, (x, y)) and gradgradcheck(Scaled.apply, (x, y))
    assert type(Scaled.apply(x, y).grad_fn).__name__ == "ScaledBackward"
    first = grad(Once.apply(x).sum(), x, create_graph=True)[0]
    assert first.tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError):
        grad(first.sum(), x)


def test_gradcheck():
    x = leaf(0.3, -0.7)
    assert gradcheck(lambda v: (v.sin(), v.exp().sum()), (x,))
    assert gradcheck(lambda v: v.tanh(), (x,), fast_mode=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(Wrong.apply, (x,))
    assert not gradcheck(Wrong.apply, (x,), raise_exception=False)
    whole = r"""output 0 with respect to input 0,
numerical:tensor\(\[\[0\.955\d*, +-?0\..*\],
 +\[-?0\..*, +0\.764.*
analytical:tensor\(\[\[1\., 0\.\],
 +\[0\., 1\.\]"""
    for fast in (False, True):
        with pytest.raises(RuntimeError, match=whole):
            gradcheck(Wrong.apply, (x,), fast_mode=fast)
    z = torch.tensor([1 + 2j, -0.5j], requires_grad=True, dtype=torch.complex128)
    assert gradcheck(lambda v: v * v.conj() + v**2, (z,))
    with pytest.raises(ValueError, match="at least one input tensor"):
        gradcheck(torch.sin, (x.detach(),))


def test_hooks():
    seen = []
    x = leaf(1.0, 1.0)
    y = x * 2
    handle = y.register_hook(lambda g: g * 3)
    x.register_hook(lambda g: seen.append(g.tolist()))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    assert seen == [[6.0, 6.0], [6.0, 6.0], [2.0, 2.0], [8.0, 8.0]]
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        torch.ones(1).register_hook(print)


def test_functions_get_zeros_for_results_that_take_no_part():
    class Parts(Function):
        @staticmethod
        def forward(ctx, x, n):
            count = torch.ones(3)
            ctx.mark_non_differentiable(count, n)
            n.add_(1)
            ctx.mark_dirty(n)
            return count, n, torch.tensor([4, 5]), x * 2, None

        @staticmethod
        def backward(ctx, *grads):
            received.extend(grads)
            return grads[3] * 2, None

    received = []
    x, n = leaf(1.0, 2.0), torch.zeros(2)
    Parts.apply(x, n)[3].sum().backward()
    assert x.grad.tolist() == [2, 2]
    assert [g if g is None else (g.tolist(), g.dtype) for g in received] == [
        ([0, 0, 0], torch.float32), ([0, 0], torch.float32), ([0, 0], torch.int64), ([1, 1], torch.float64), None
    ]  # fmt: skip


def test_functional():
    x, w = torch.arange(1.0, 4.0), torch.arange(2.0, 5.0)
    assert torch.equal(functional.jacobian(lambda v: v**2, x), torch.diag(2 * x))
    assert torch.equal(functional.hessian(lambda v: (v**3).sum(), x), torch.diag(6 * x))
    assert torch.equal(functional.vjp(lambda v: v**2, x, w)[1], 2 * x * w)
    assert torch.equal(functional.jvp(lambda v: v**2, x, w)[1], 2 * x * w)
    assert torch.equal(functional.hvp(lambda v: (v**3).sum(), x, w)[1], 6 * x * w)
    a, b = functional.jacobian(lambda p, q: p * q, (x, w))
    assert torch.equal(a, torch.diag(w)) and torch.equal(b, torch.diag(x))


def test_checkpoint():
    from torch.utils.checkpoint import checkpoint

    x = leaf(0.5)
    expected = grad((x**3).sin().sum(), x)[0]
    assert torch.equal(grad(checkpoint(lambda v: (v**3).sin(), x, use_reentrant=False).sum(), x)[0], expected)


class Logged(torch.Tensor):
    log = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.log.append(torch.overrides.resolve_name(func))
        return super().__torch_function__(func, types, args, kwargs or {})


def test_torch_function():
    x = torch.ones(2, 2).as_subclass(Logged)
    assert type(torch.split(x, 1)[0]) is Logged and type(torch.nn.functional.relu(x)) is Logged
    assert Logged.log == ["torch.functional.split", "torch.nn.functional.relu"]

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    assert torch.add(Duck(), 1) == "add" and torch.nn.functional.softmax(Duck(), 1) == "softmax"


def test_torch_function_modes_see_conversions_and_functions_of_namespaces():
    """A mode passes on each function under a name that resolves to it."""

    class HandOn(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with HandOn():
        for name in "float double half bfloat16 long int short char byte bool cfloat cdouble".split():
            assert getattr(x, name)().dtype == getattr(torch, {"byte": "uint8", "char": "int8"}.get(name, name))
        assert torch.equal(torch.special.erf(x), torch.erf(x))
        assert torch.equal(torch.linalg.vector_norm(x), x.norm())


class Names(torch.overrides.TorchFunctionMode):
    """Notes what it sees."""

    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(torch.overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))


def test_torch_function_sees_conversions_to_numbers():
    x = torch.tensor(3)
    with Names() as mode:
        assert (float(x), int(x), bool(x), [1, 2, 3, 4][x]) == (3.0, 3, True, 4)
        torch.ones(2)
    expected = ["torch.Tensor.__float__", "torch.Tensor.__int__", "torch.Tensor.__bool__", "torch.Tensor.__index__", "torch.ones"]
    assert mode.seen == expected

    class Seven(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return 7 if func in (torch.Tensor.__int__, torch.Tensor.__float__) else NotImplemented

    x = x.as_subclass(Seven)
    assert int(x) == 7 and pytest.raises(TypeError, bool, x)


def test_a_mode_skips_initial_values():
    class Skip(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if getattr(func, "__module__", None) == "torch.nn.init":
                return kwargs["tensor"] if "tensor" in kwargs else args[0]
            return func(*args, **kwargs)

    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    with Skip():
        torch.nn.Linear(3, 2), torch.nn.Conv2d(1, 1, 2), torch.nn.Embedding(3, 2)
        x = torch.nn.init.constant_(torch.zeros(2), 1.0)
    assert not x.any() and torch.equal(torch.rand(1), expected)


def test_hooks_on_results_of_functions():
    """Tensor.register_hook on what a Function returns, also with several results."""

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x, seen = torch.ones(2, requires_grad=True), []
    a, b = Both.apply(x)
    a.register_hook(lambda g: seen.append(("a", g.tolist())))
    handle = b.register_hook(lambda g: g * 100)
    b.register_hook(lambda g: seen.append(("b", g.tolist())))
    (a + b * 2).sum().backward(retain_graph=True)
    assert sorted(seen) == [("a", [1, 1]), ("b", [200, 200])] and x.grad.tolist() == [602, 602]
    handle.remove()
    x.grad = None
    (a + b * 2).sum().backward()
    assert x.grad.tolist() == [8, 8]
