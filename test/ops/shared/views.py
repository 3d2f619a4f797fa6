"""Makes entries for views and their inverses."""

import numpy as np
from ops.common import ALL, LIB, ONES, Op, Sample, rand

import torch


def moved(name, ref, *cases, **kwargs):
    kwargs = {"out": False, **kwargs}
    return Op(name, lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases], ref, ALL, **kwargs)


def replaced(take):
    def ref(x, src, *args):
        x = x.copy()
        part = take(x, *args)
        part.flags.writeable = True
        part[...] = src
        return x

    return ref


def scattered(name, take, *cases):
    """cases: (shape, shape of the part, arguments...)."""
    samples = lambda d: [Sample(rand(*s, dtype=d), (rand(*p, dtype=d, seed=1), *a)) for s, p, *a in cases]  # noqa: E731
    return Op(name, samples, replaced(take), ALL, out=False,
              errors=[(lambda: getattr(torch, name)(ONES, torch.ones(5), 0, 0), RuntimeError, "size|shape")])  # fmt: skip


def view(name, ref, *cases, only_method=False, **kwargs):
    """cases: (shape, arguments...)."""
    call = {"call": lambda x, *a, **k: getattr(x, name)(*a, **k)} if only_method else {}
    kwargs = {"out": False, "view": True, **call, **kwargs}
    return Op(name, lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases], ref, ALL, **kwargs)


def backward(name, ref, *cases):
    """The gradient of a view: a gradient placed among zeros."""
    return Op(
        name,
        lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases],
        ref,
        ALL,
        call=getattr(LIB, name),
        method=False,
        out=False,
    )


def placed(take):
    """The gradient of a view, computed from the elements that it selects."""

    def ref(grad, sizes, *args):
        result = np.zeros(sizes, grad.dtype)
        take(result, *args)[...] = grad
        return result

    return ref


def with_shape(name, *pairs):
    """x shaped as another tensor."""
    samples = lambda d: [Sample(rand(*a, dtype=d), (torch.zeros(b, dtype=torch.int8),)) for a, b in pairs]  # noqa: E731
    return Op(name, samples, lambda x, y: np.broadcast_to(x, y.shape) if name == "expand_as" else x.reshape(y.shape), ALL,
              call=lambda x, y: getattr(x, name)(y), out=False, noncontiguous=name == "expand_as", view=True)  # fmt: skip
