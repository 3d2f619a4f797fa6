"""100 additions of two elements with one layer on: what a layer over the dispatcher costs a call. The first case has none."""

from cases import Case
from cases.shared import SLOWEST

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import functionalize, grad, jvp, vmap
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

COUNT = range(100)


def _adds(x, y):
    for _ in COUNT:
        z = x + y
    return z


def _within(block):
    """The additions inside of a `with` block."""

    def make():
        x, y, context = torch.ones(2), torch.ones(2), block()

        def run():
            with context:
                _adds(x, y)

        return run

    return Case(make, SLOWEST)


def _transformed(transform, *sizes):
    """The additions inside of a transformed function."""

    def make():
        inputs = [torch.ones(size) for size in sizes]
        function = transform(_adds)
        return lambda: function(*inputs)

    return Case(make, SLOWEST)


class _Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class _Function(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class _Override(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


class _Wrapper(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return cls(func(*[a.inner if isinstance(a, cls) else a for a in args], **(kwargs or {})))


def _on(convert):
    def make():
        x, y = convert(torch.ones(2)), convert(torch.ones(2))
        return lambda: _adds(x, y)

    return Case(make, SLOWEST)


def _fake():
    mode = FakeTensorMode()
    x, y = mode.from_tensor(torch.ones(2)), mode.from_tensor(torch.ones(2))

    def run():
        with mode:
            _adds(x, y)

    return run


def _gradient(function):
    return grad(lambda x, y: function(x, y).sum())


def _pushforward(function):
    return lambda x, y: jvp(function, (x, y), (x, y))


CASES = {
    "no layer": _on(lambda x: x),
    "autograd records": _on(lambda x: x.requires_grad_()),
    "no_grad": _within(torch.no_grad),
    "inference_mode": _within(torch.inference_mode),
    "autocast": _within(lambda: torch.autocast("cpu")),
    "vmap": _transformed(vmap, (3, 2), (3, 2)),
    "vmap of vmap": _transformed(lambda f: vmap(vmap(f)), (3, 3, 2), (3, 3, 2)),
    "grad": _transformed(_gradient, 2, 2),
    "jvp": _transformed(_pushforward, 2, 2),
    "functionalize": _transformed(functionalize, 2, 2),
    "__torch_function__ of a mode": _within(_Function),
    "__torch_function__ of a class": _on(lambda x: x.as_subclass(_Override)),
    "__torch_dispatch__ of a mode": _within(_Dispatch),
    "__torch_dispatch__ of a class": _on(_Wrapper),
    "FakeTensorMode": Case(_fake, SLOWEST),
    "saved-tensor hooks": _within(lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)),
}
