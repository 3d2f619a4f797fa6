"""Steps of optimizers over lists of tensors, and the list operators that they use."""

import numpy as np

import torch
from ops.common import FLOATS, REDUCED, Op, Sample, rand

SHAPES = ((3,), (2, 3), (), (0,), (5, 7))


def tensors(dtype, seed=0, low=-3.0, high=3.0):
    return [rand(*s, dtype=dtype, low=low, high=high, seed=seed) for s in SHAPES]


def on_copies(fn, lists=1):
    """fn changes the tensors of its first `lists` arguments: called on copies, which are the result."""

    def call(*args, **kwargs):
        copies = [[t.clone() for t in a] for a in args[:lists]]
        fn(*copies, *args[lists:], **kwargs)
        return [t for ts in copies for t in ts]

    return call


def sgd(
    ps, gs, bufs, *, lr, momentum, weight_decay, dampening, nesterov, maximize, is_first_step, grad_scale=None, found_inf=None
):
    if found_inf:
        return [*ps, *gs, *bufs]
    out, scaled, buffers = [], [], []
    for k, (p, g) in enumerate(zip(ps, gs)):
        g = g / (1 if grad_scale is None else grad_scale)
        scaled.append(g)
        g = (-g if maximize else g) + weight_decay * p
        if momentum:
            buffers.append(g if is_first_step else momentum * bufs[k] + (1 - dampening) * g)
            g = g + momentum * buffers[k] if nesterov else buffers[k]
        out.append(p - lr * g)
    return out + scaled + buffers


def adam(decoupled):
    def ref(
        ps, gs, ms, vs, tops, steps, *, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale=None, found_inf=None
    ):
        if found_inf:
            return [*ps, *gs, *ms, *vs, *tops]
        found = []
        for k, (p, g, m, v, t) in enumerate(zip(ps, gs, ms, vs, steps)):
            scaled = g = g / (1 if grad_scale is None else grad_scale)
            g = -g if maximize else g
            p, g = (p * (1 - lr * weight_decay), g) if decoupled else (p, g + weight_decay * p)
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            top = np.maximum(tops[k], v) if amsgrad else v
            p = p - lr / (1 - beta1**t) * m / (np.sqrt(top) / np.sqrt(1 - beta2**t) + eps)
            found.append([p, scaled, m, v, *([top] if amsgrad else [])])
        return [t for column in zip(*found) for t in column]

    return ref


def sgd_samples(dtype):
    for k in ({}, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.5, "is_first_step": False}, {"momentum": 0.9, "nesterov": True},
              {"weight_decay": 0.1, "maximize": True}, {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(0.0)},
              {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(1.0)}):  # fmt: skip
        settings = {
            "lr": 0.1,
            "momentum": 0.0,
            "weight_decay": 0.0,
            "dampening": 0.0,
            "nesterov": False,
            "maximize": False,
            "is_first_step": True,
            **k,
        }
        yield Sample(tensors(dtype), (tensors(dtype, 1), tensors(dtype, 2) if settings["momentum"] else []), settings)


def adam_samples(dtype):
    for k in ({}, {"amsgrad": True}, {"weight_decay": 0.1}, {"maximize": True, "weight_decay": 0.1, "amsgrad": True},
              {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(0.0)}, {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(1.0)}):  # fmt: skip
        settings = {
            "lr": 0.1,
            "beta1": 0.9,
            "beta2": 0.99,
            "weight_decay": 0.0,
            "eps": 1e-3,
            "amsgrad": False,
            "maximize": False,
            **k,
        }
        tops = tensors(dtype, 4, 0.1, 1.0) if settings["amsgrad"] else []
        steps = [torch.tensor(float(k + 1)) for k in range(len(SHAPES))]
        yield Sample(tensors(dtype), (tensors(dtype, 1), tensors(dtype, 2), tensors(dtype, 3, 0.1, 1.0), tops, steps), settings)


def norms(ts, ord=2):
    flat = [np.abs(t.ravel()) for t in ts]
    if ord == np.inf:
        return [f.max() if f.size else np.float64(0) for f in flat]
    return [(f**ord).sum() ** (1 / ord) for f in flat]


P, STEP = [torch.ones(3)], [torch.tensor(1.0)]

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8, "amsgrad": False, "maximize": False}

SGD = {
    "lr": 0.1,
    "momentum": 0.9,
    "weight_decay": 0.0,
    "dampening": 0.0,
    "nesterov": False,
    "maximize": False,
    "is_first_step": True,
}

ALONE = {"grad": False, "method": False, "out": False, "noncontiguous": False, "tolerance": 1e-5}
FUSED = {**ALONE, "meta": False}


def adam_errors(fn):
    return ((lambda: fn(P, [], P, P, [], STEP, **ADAM), RuntimeError, "same|length|size|number|tensors"),
            (lambda: fn(P, [torch.ones(2)], P, P, [], STEP, **ADAM), RuntimeError, "same|size|shape"),
            (lambda: fn(P, [torch.ones(3).double()], P, P, [], STEP, **ADAM), RuntimeError, "dtype|type|is float64"),
            (lambda: fn(P, P, [torch.ones(2)], P, [], STEP, **ADAM), RuntimeError, "same|size|shape"))  # fmt: skip


OPS = [
    Op("_fused_sgd_", sgd_samples, sgd, FLOATS + REDUCED, call=on_copies(torch._fused_sgd_, 3), **FUSED, errors=(
        (lambda: torch._fused_sgd_(P, [torch.ones(2)], P, **SGD), RuntimeError, "same|size|shape"),
        (lambda: torch._fused_sgd_(P, [torch.ones(3).double()], P, **SGD), RuntimeError, "dtype|type|is float64"),
        (lambda: torch._fused_sgd_(P, P, [torch.ones(2)], **SGD), RuntimeError, "same|size|shape"))),
    *(Op(f"_fused_adam{w}_", adam_samples, adam(bool(w)), FLOATS + REDUCED, call=on_copies(getattr(torch, f"_fused_adam{w}_"), 5), **FUSED,
         errors=adam_errors(getattr(torch, f"_fused_adam{w}_"))) for w in ("", "w")),
]  # fmt: skip
