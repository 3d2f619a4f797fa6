"""Steps of optimizers over lists of tensors, and the list operators that they use."""

import numpy as np

import torch
from ops.common import ALL, FLOATS, LIB, REDUCED, Op, Sample, rand

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


def adagrad(ps, gs, sums, steps, *, lr, lr_decay, weight_decay, eps, maximize, grad_scale=None, found_inf=None):
    if found_inf:
        return [*ps, *gs, *sums]
    found = []
    for p, g, total, t in zip(ps, gs, sums, steps):
        scaled = g / (1 if grad_scale is None else grad_scale)
        g = (-scaled if maximize else scaled) + weight_decay * p
        total = total + g * g
        found.append([p - lr / (1 + (t - 1) * lr_decay) * g / (np.sqrt(total) + eps), scaled, total])
    return [t for column in zip(*found) for t in column]


def adagrad_samples(dtype):
    for k in ({}, {"lr_decay": 0.1}, {"weight_decay": 0.1, "maximize": True}, {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(0.0)},
              {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(1.0)}):  # fmt: skip
        settings = {"lr": 0.1, "lr_decay": 0.0, "weight_decay": 0.0, "eps": 1e-3, "maximize": False, **k}
        steps = [torch.tensor(float(k + 1)) for k in range(len(SHAPES))]
        yield Sample(tensors(dtype), (tensors(dtype, 1), tensors(dtype, 3, 0.1, 1.0), steps), settings)


def tensor_rate(samples):
    """The learning rate as a tensor."""
    return lambda dtype: [Sample(s.input, s.args, {**s.kwargs, "lr": torch.tensor(s.kwargs["lr"])}) for s in samples(dtype)]


def on_new(name, overload, lists):
    """The form that returns new tensors; its arguments stay as they are."""
    op = getattr(getattr(LIB, name), overload)

    def call(*args, **kwargs):
        before = [[t.clone() for t in a] for a in args[:lists]]
        found = op(*args, **kwargs)
        assert all(torch.equal(t, b) for a, bs in zip(args, before) for t, b in zip(a, bs))
        return [t for ts in found[:lists] for t in ts]

    return call


def into(name, overload, lists):
    """The out= form: parameters go to out, the other lists are changed."""
    op = getattr(getattr(LIB, name), overload)

    def call(first, *args, **kwargs):
        copies, out = [[t.clone() for t in a] for a in args[: lists - 1]], [torch.empty_like(t) for t in first]
        op(first, *copies, *args[lists - 1 :], **kwargs, out=out)
        return [t for ts in (out, *copies) for t in ts]

    return call


def forms(name, samples, ref, lists, errors=()):
    """All forms of a step."""
    both = [(samples, "default", "out", "default"), (tensor_rate(samples), "tensor_lr", "tensor_lr_out", "tensor_lr")]
    for make, new, out, inplace in both:
        for fn in (on_new(name, new, lists), into(name, out, lists)):
            yield Op(name, make, ref, FLOATS + REDUCED, call=fn, **FUSED)
        yield Op(
            f"{name}_",
            make,
            ref,
            FLOATS + REDUCED,
            call=on_copies(getattr(getattr(LIB, f"{name}_"), inplace), lists),
            **FUSED,
            errors=errors,
        )


def unscale_samples(dtype):
    for values in ((1.0, 2.0), (1.0, float("inf")), (float("nan"), 1.0)):
        yield Sample([torch.tensor(values, dtype=dtype), rand(2, 3, dtype=dtype)], (torch.zeros(1), torch.tensor([0.5])))
    yield Sample([rand(3, dtype=dtype)], (torch.ones(1), torch.tensor([1.0])))


def unscaled(ts, found, inverse):
    return [
        *(t * inverse.astype(t.dtype) for t in ts),
        np.maximum(found, not all(np.isfinite(t).all() for t in ts)).astype(found.dtype),
    ]


def scale_samples(dtype):
    for found in (0.0, 1.0):
        for successes in (0, 2):
            yield Sample(
                torch.tensor([1024.0]), (torch.tensor([successes], dtype=torch.int32), torch.tensor([found]), 2.0, 0.5, 3)
            )
    yield Sample(torch.tensor([3e38]), (torch.tensor([0], dtype=torch.int32), torch.tensor([0.0]), 2.0, 0.5, 1))


def updated(scale, successes, found, growth, backoff, interval):
    if found[0]:
        return [scale * np.float32(backoff), successes * 0]
    if successes[0] + 1 < interval:
        return [scale, successes + 1]
    with np.errstate(over="ignore"):
        grown = scale * np.float32(growth)
    return [grown if np.isfinite(grown).all() else scale, successes * 0]


def unscale_(ts, found, inverse):
    ts, found = [t.clone() for t in ts], found.clone()
    LIB._amp_foreach_non_finite_check_and_unscale_(ts, found, inverse)
    return [*ts, found]


def unscale_out(ts, found, inverse):
    out, found = [torch.empty_like(t) for t in ts], found.clone()
    LIB._amp_foreach_non_finite_check_and_unscale.out(ts, found, inverse, out=out)
    return [*out, found]


def unscale_new(ts, found, inverse):
    new, found = LIB._amp_foreach_non_finite_check_and_unscale(ts, found, inverse)
    return [*new, found]


def update_(scale, successes, *args):
    scale, successes = scale.clone(), successes.clone()
    return [LIB._amp_update_scale_(scale, successes, *args)]


def update_out(scale, successes, *args):
    successes = successes.clone()
    return [LIB._amp_update_scale.out(scale, successes, *args, out=torch.empty_like(scale)), successes]


def update_new(*args):
    return list(LIB._amp_update_scale(*args))


def norms(ts, ord=2):
    flat = [np.abs(t.ravel()) for t in ts]
    if ord == np.inf:
        return [f.max() if f.size else np.float64(0) for f in flat]
    return [(f**ord).sum() ** (1 / ord) for f in flat]


P, STEP, ONE = [torch.ones(3)], [torch.tensor(1.0)], torch.ones(1)

ADAGRAD = {"lr": 0.1, "lr_decay": 0.0, "weight_decay": 0.0, "eps": 1e-8, "maximize": False}

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
    *forms("_fused_sgd", sgd_samples, sgd, 3),
    *forms("_fused_adam", adam_samples, adam(False), 5),
    *forms("_fused_adamw", adam_samples, adam(True), 5),
    *forms("_fused_adagrad", adagrad_samples, adagrad, 3, errors=(
        (lambda: LIB._fused_adagrad_(P, [torch.ones(2)], P, STEP, **ADAGRAD), RuntimeError, "has shape"),
        (lambda: LIB._fused_adagrad_(P, P, [torch.ones(3).double()], STEP, **ADAGRAD), RuntimeError, "is float64"),
        (lambda: LIB._fused_adagrad_(P, P, P, [], **ADAGRAD), RuntimeError, "state_steps has 0"))),
    *(Op(name, unscale_samples, unscaled, FLOATS + REDUCED, call=fn, **FUSED, errors=(
        (lambda: LIB._amp_foreach_non_finite_check_and_unscale_(P, torch.zeros(2), ONE), RuntimeError, "found_inf must be a 1-element tensor"),
        (lambda: LIB._amp_foreach_non_finite_check_and_unscale_(P, ONE.double(), ONE), RuntimeError, "found_inf must be of type float32"),
        (lambda: LIB._amp_foreach_non_finite_check_and_unscale_([torch.ones(2).int()], ONE, ONE), NotImplementedError, "not implemented for 'Int'")))
      for name, fn in (("_amp_foreach_non_finite_check_and_unscale_", unscale_), ("_amp_foreach_non_finite_check_and_unscale", unscale_new), ("_amp_foreach_non_finite_check_and_unscale", unscale_out))),
    *(Op(name, scale_samples, updated, FLOATS[:1], takes=ALL, call=fn, **FUSED, errors=(
        (lambda: LIB._amp_update_scale_(ONE, ONE.long(), ONE, 2.0, 0.5, 1), RuntimeError, "growth_tracker must be of type int32"),
        (lambda: LIB._amp_update_scale_(ONE, ONE.int(), ONE.to("meta"), 2.0, 0.5, 1), RuntimeError, "Could not run|must be on cpu|on the meta device|copy out of meta tensor"),
        (lambda: LIB._amp_update_scale_(torch.ones(2), ONE.int(), ONE, 2.0, 0.5, 1), RuntimeError, "current_scale must be a 1-element tensor")))
      for name, fn in (("_amp_update_scale", update_new), ("_amp_update_scale", update_out))),
    Op("_amp_update_scale_", scale_samples, lambda *a: updated(*a)[0], FLOATS[:1], takes=ALL, call=update_, **FUSED),
]  # fmt: skip
