"""Products with Jacobians and Hessians, and the matrices themselves."""

import torch
from torch import _lazy


def _tuple(values, name):
    single = not isinstance(values, tuple)
    values = (values,) if single else values
    for k, value in enumerate(values):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name}: expected a Tensor or a tuple of Tensors, but the value at index {k} "
                            f"has type {type(value)}")
    return single, values


def _fresh(inputs, create_graph):
    """Inputs that record: views of the caller's if the result is to be differentiated further, copies
    without history if not."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs
    )


def _plain(values, create_graph):
    return values if create_graph else tuple(value.detach() for value in values)


def _filled(gradients, inputs, strict, what):
    filled = []
    for k, (gradient, x) in enumerate(zip(gradients, inputs)):
        if gradient is None and strict:
            raise RuntimeError(f"{what}: the output is independent of input {k}. This is not allowed in "
                               "strict mode.")
        filled.append(torch.zeros_like(x) if gradient is None else gradient)
    return tuple(filled)


def _grad(outputs, inputs, weights, create_graph, retain=True):
    pairs = [(y, w) for y, w in zip(outputs, weights) if y.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return torch.autograd.grad([y for y, _ in pairs], inputs, [w for _, w in pairs],
                               create_graph=create_graph,
                               retain_graph=retain, allow_unused=True)


def _weights(v, outputs, name):
    if v is None:
        if len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(f"{name}: the vector v can only be None if the function returns a single "
                               "Tensor with a single "
                               "element or the input has one")
        return (torch.ones_like(outputs[0]),)
    _, v = _tuple(v, "v")
    if len(v) != len(outputs) or any(a.size() != b.size() for a, b in zip(v, outputs)):
        raise RuntimeError(f"{name}: v has to be of the shapes {[tuple(y.shape) for y in outputs]}, got "
                           f"{[tuple(w.shape) for w in v]}")
    return v


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, v times the Jacobian)."""
    with torch.enable_grad():
        single_in, given = _tuple(inputs, "inputs")
        x = _fresh(given, create_graph)
        single_out, y = _tuple(func(*x), "outputs of the function")
        weights = _weights(v, y, "vjp")
    with torch.set_grad_enabled(torch.is_grad_enabled() or create_graph):
        found = _filled(_grad(y, x, weights, create_graph), x, strict, "vjp")
    y, found = _plain(y, create_graph), _plain(found, create_graph)
    return y[0] if single_out else y, found[0] if single_in else found


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the Jacobian times v), by two backward passes."""
    with torch.enable_grad():
        _, given = _tuple(inputs, "inputs")
        x = _fresh(given, create_graph)
        weights = _weights(v, x, "jvp")
        single_out, y = _tuple(func(*x), "outputs of the function")
        dummies = tuple(torch.zeros_like(out, requires_grad=True) for out in y)
        back = _filled(_grad(y, x, dummies, True), x, strict, "jvp")
        found = _filled(_grad(back, dummies, weights, create_graph), dummies, strict, "jvp")
    y, found = _plain(y, create_graph), _plain(found, create_graph)
    return (y[0], found[0]) if single_out else (y, found)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """d output / d input: shape (*output, *input), in tuples where there are several."""
    with torch.enable_grad():
        single_in, given = _tuple(inputs, "inputs")
        x = _fresh(given, create_graph)
        single_out, outputs = _tuple(func(*x), "outputs of the function")
        rows = []
        for y in outputs:
            parts = [[] for _ in x]
            for k in range(y.numel()):
                found = _grad((y.reshape(-1)[k],), x, (torch.ones((), dtype=y.dtype, device=y.device),),
                              create_graph)
                for part, gradient in zip(parts, _filled(found, x, strict, "jacobian")):
                    part.append(gradient)
            rows.append(
                tuple(
                    torch.stack(part).view(y.shape + inner.shape)
                    if part
                    else inner.new_zeros(y.shape + inner.shape)
                    for part, inner in zip(parts, x)
                )
            )
    rows = [_plain(row, create_graph) for row in rows]
    rows = [row[0] if single_in else row for row in rows]
    return rows[0] if single_out else tuple(rows)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False,
            outer_jacobian_strategy="reverse-mode"):
    """Second derivatives of a function with one element: shape (*input, *input), in tuples of tuples for
    several inputs."""
    single, given = _tuple(inputs, "inputs")

    def gradient(*x):
        out = func(*x)
        if out.numel() != 1:
            raise RuntimeError(f"hessian: the function has to return a single element, got shape "
                               f"{tuple(out.shape)}")
        x = tuple(x)
        found = _grad((out.reshape(()),), x, (torch.ones((), dtype=out.dtype, device=out.device),), True)
        return _filled(found, x, strict, "hessian")

    found = jacobian(gradient, given, create_graph, strict)
    return found[0][0] if single else found


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, the Hessian times v)."""
    return vhp(func, inputs, v, create_graph, strict)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, v times the Hessian), which is symmetric."""
    with torch.enable_grad():
        single, given = _tuple(inputs, "inputs")
        x = _fresh(given, create_graph)
        weights = _weights(v, x, "vhp")
        out = func(*x)
        if out.numel() != 1:
            raise RuntimeError("The function given to vhp/hvp should return a single element")
        first = _filled(_grad((out.reshape(()),), x, (torch.ones((), dtype=out.dtype),), True), x, strict,
                        "vhp")
        found = _filled(_grad(first, x, weights, create_graph), x, strict, "vhp")
    found = _plain(found, create_graph)
    return (out if create_graph else out.detach()), found[0] if single else found

_lazy.names_what_is_absent(__name__)
