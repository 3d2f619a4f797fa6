"""Products with Jacobians and Hessians, and the matrices themselves."""

from __future__ import annotations

import torch
from torch import _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _tuple(values, name):
    single = not isinstance(values, tuple)
    values = (values,) if single else values
    for k, value in enumerate(values):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name}: expected a Tensor or a tuple of Tensors, but the value at index {k} has type {type(value)}")
    return single, values


def _recording_inputs(inputs, create_graph):
    """Inputs that record: views of the caller's if the result is differentiated further, else copies without history."""
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


def _plain(values, create_graph):
    return values if create_graph else tuple(value.detach() for value in values)


def _filled(gradients, inputs, strict, what):
    filled = []
    for k, (gradient, x) in enumerate(zip(gradients, inputs)):
        if gradient is None and strict:
            raise RuntimeError(f"{what}: the output is independent of input {k}. This is not allowed in strict mode.")
        filled.append(torch.zeros_like(x) if gradient is None else gradient)
    return tuple(filled)


def _grad(outputs, inputs, weights, create_graph, retain=True):
    pairs = [(y, w) for y, w in zip(outputs, weights) if y.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return torch.autograd.grad(
        [y for y, _ in pairs], inputs, [w for _, w in pairs], create_graph=create_graph, retain_graph=retain, allow_unused=True
    )


def _weights(v, outputs, name):
    if v is None:
        if len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(
                f"{name}: the vector v can only be None if the function returns a single Tensor with a single "
                "element or the input has one"
            )
        return (torch.ones_like(outputs[0]),)
    _, v = _tuple(v, "v")
    if len(v) != len(outputs) or any(a.size() != b.size() for a, b in zip(v, outputs)):
        raise RuntimeError(
            f"{name}: v has to be of the shapes {[tuple(y.shape) for y in outputs]}, got {[tuple(w.shape) for w in v]}"
        )
    return v


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of a function, and a vector times its Jacobian.

    Args:
        func (function): of tensors, to a tensor or a tuple of them
        inputs (Tensor or tuple of Tensors): where
        v (Tensor or tuple of Tensors, optional): the vector, of the shapes of the outputs; may be left out for one element
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input

    Returns:
        (outputs, the product, of the shapes of the inputs)

    Raises:
        RuntimeError: `v` has other shapes, or strict refuses
        TypeError: the function gives something else than tensors

    Example:
        >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1., 2.]), torch.ones(2))
        (tensor([1., 4.]), tensor([2., 4.]))
    """
    with torch.enable_grad():
        single_in, values = _tuple(inputs, "inputs")
        x = _recording_inputs(values, create_graph)
        single_out, y = _tuple(func(*x), "outputs of the function")
        weights = _weights(v, y, "vjp")
    with torch.set_grad_enabled(torch.is_grad_enabled() or create_graph):
        found = _filled(_grad(y, x, weights, create_graph), x, strict, "vjp")
    y, found = _plain(y, create_graph), _plain(found, create_graph)
    return y[0] if single_out else y, found[0] if single_in else found


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of a function, and its Jacobian times a vector, by two backward passes.

    Args:
        func (function): of tensors, to a tensor or a tuple of them
        inputs (Tensor or tuple of Tensors): where
        v (Tensor or tuple of Tensors, optional): the vector, of the shapes of the inputs; may be left out for one element
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input

    Returns:
        (outputs, the product, of the shapes of the outputs)

    Raises:
        RuntimeError: `v` has other shapes, or strict refuses
        TypeError: the function gives something else than tensors

    Example:
        >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1., 2.]), torch.ones(2))
        (tensor([1., 4.]), tensor([2., 4.]))
    """
    with torch.enable_grad():
        _, values = _tuple(inputs, "inputs")
        x = _recording_inputs(values, create_graph)
        weights = _weights(v, x, "jvp")
        single_out, y = _tuple(func(*x), "outputs of the function")
        dummies = tuple(torch.zeros_like(out, requires_grad=True) for out in y)
        back = _filled(_grad(y, x, dummies, True), x, strict, "jvp")
        found = _filled(_grad(back, dummies, weights, create_graph), dummies, strict, "jvp")
    y, found = _plain(y, create_graph), _plain(found, create_graph)
    return (y[0], found[0]) if single_out else (y, found)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All derivatives of the outputs of a function by its inputs.

    Args:
        func (function): of tensors, to a tensor or a tuple of them
        inputs (Tensor or tuple of Tensors): where
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input
        vectorize (bool, default False): compute all rows at once under vmap, in place of one backward for each
        strategy (str, default "reverse-mode"): or "forward-mode", which needs `vectorize` and computes all columns at once

    Returns:
        (*output shape, *input shape), in tuples where there are several outputs or inputs

    Raises:
        RuntimeError: strict refuses, or it is asked for together with `vectorize`
        ValueError: another strategy
        NotImplementedError: forward mode without `vectorize`, or with `create_graph`
        TypeError: the function gives something else than tensors

    Example:
        >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ValueError(f"jacobian: strategy must be 'forward-mode' or 'reverse-mode', got {strategy!r}")
    if strict and vectorize:
        raise RuntimeError("jacobian: strict=True and vectorize=True cannot be combined; leave out one of them")
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, vectorize)
    with torch.enable_grad():
        single_in, values = _tuple(inputs, "inputs")
        x = _recording_inputs(values, create_graph)
        single_out, outputs = _tuple(func(*x), "outputs of the function")
        rows = [_rows_at_once(y, x, create_graph) for y in outputs] if vectorize else []
        outputs = () if vectorize else outputs
        for y in outputs:
            parts = [[] for _ in x]
            for k in range(y.numel()):
                found = _grad((y.reshape(-1)[k],), x, (torch.ones((), dtype=y.dtype, device=y.device),), create_graph)
                for part, gradient in zip(parts, _filled(found, x, strict, "jacobian")):
                    part.append(gradient)
            rows.append(
                tuple(
                    torch.stack(part).view(y.shape + inner.shape) if part else inner.new_zeros(y.shape + inner.shape)
                    for part, inner in zip(parts, x)
                )
            )
    rows = [_plain(row, create_graph) for row in rows]
    rows = [row[0] if single_in else row for row in rows]
    return rows[0] if single_out else tuple(rows)


def _rows_at_once(y, x, create_graph):
    """The derivatives of an output by all inputs, by one backward under vmap."""
    if not y.requires_grad or not y.numel():
        return tuple(inner.new_zeros(y.shape + inner.shape) for inner in x)
    basis = torch.eye(y.numel(), dtype=y.dtype, device=y.device).view(y.numel(), *y.shape)
    found = torch.autograd.grad(
        y, x, basis, retain_graph=True, create_graph=create_graph, allow_unused=True, is_grads_batched=True
    )
    return tuple(
        inner.new_zeros(y.shape + inner.shape) if gradient is None else gradient.view(y.shape + inner.shape)
        for gradient, inner in zip(found, x)
    )


def _forward_jacobian(func, inputs, create_graph, vectorize):
    """The same by tangents, all columns at once."""
    if not vectorize or create_graph:
        raise NotImplementedError(
            "jacobian: strategy='forward-mode' needs vectorize=True and create_graph=False; torch.func.jacfwd records"
        )
    single_in, values = _tuple(inputs, "inputs")
    found = torch.func.jacfwd(lambda *x: _tuple(func(*x), "outputs of the function")[1], argnums=tuple(range(len(values))))(
        *(x.detach() for x in values)
    )
    single_out = isinstance(func(*values), torch.Tensor)
    rows = [row[0] if single_in else row for row in found]
    return rows[0] if single_out else tuple(rows)


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Second derivatives of a function with one element.

    Args:
        func (function): of tensors, to a tensor of one element
        inputs (Tensor or tuple of Tensors): where
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input
        vectorize (bool, default False): compute all rows at once under vmap, in place of one backward for each
        outer_jacobian_strategy (str, default "reverse-mode"): or "forward-mode", for the derivatives of the gradient

    Returns:
        (*input shape, *input shape), in tuples of tuples for several inputs

    Raises:
        RuntimeError: the function gives more elements, or strict refuses

    Example:
        >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    single, values = _tuple(inputs, "inputs")

    def gradient(*x):
        out = func(*x)
        if out.numel() != 1:
            raise RuntimeError(f"hessian: the function has to return a single element, got shape {tuple(out.shape)}")
        x = tuple(x)
        found = _grad((out.reshape(()),), x, (torch.ones((), dtype=out.dtype, device=out.device),), True)
        return _filled(found, x, strict, "hessian")

    found = jacobian(gradient, values, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found[0][0] if single else found


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The output of a function, and its Hessian times a vector.

    Args:
        func (function): of tensors, to a tensor of one element
        inputs (Tensor or tuple of Tensors): where
        v (Tensor or tuple of Tensors, optional): the vector, of the shapes of the inputs; may be left out for one element
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input

    Returns:
        (output, the product, of the shapes of the inputs)

    Raises:
        RuntimeError: the function gives more elements, `v` has other shapes, or strict refuses

    Example:
        >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    return vhp(func, inputs, v, create_graph, strict)


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The output of a function, and a vector times its Hessian, which is symmetric.

    Args:
        func (function): of tensors, to a tensor of one element
        inputs (Tensor or tuple of Tensors): where
        v (Tensor or tuple of Tensors, optional): the vector, of the shapes of the inputs; may be left out for one element
        create_graph (bool, default False): record, for derivatives of the result
        strict (bool, default False): refuse an output that does not depend on an input

    Returns:
        (output, the product, of the shapes of the inputs)

    Raises:
        RuntimeError: the function gives more elements, `v` has other shapes, or strict refuses

    Example:
        >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with torch.enable_grad():
        single, values = _tuple(inputs, "inputs")
        x = _recording_inputs(values, create_graph)
        weights = _weights(v, x, "vhp")
        out = func(*x)
        if out.numel() != 1:
            raise RuntimeError("The function given to vhp/hvp should return a single element")
        first = _filled(_grad((out.reshape(()),), x, (torch.ones((), dtype=out.dtype),), True), x, strict, "vhp")
        found = _filled(_grad(first, x, weights, create_graph), x, strict, "vhp")
    found = _plain(found, create_graph)
    return (out if create_graph else out.detach()), found[0] if single else found


_lazy.names_what_is_absent(__name__)
