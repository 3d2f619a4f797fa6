"""Compares derivatives with finite differences."""

from __future__ import annotations

import torch
from torch.testing._comparison import allclose_message

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class GradcheckError(RuntimeError):
    """A derivative is not what the differences say.

    Example:
        >>> from torch.autograd.gradcheck import GradcheckError
        >>> issubclass(GradcheckError, RuntimeError)
        True
    """


def _tensors(values):
    return (values,) if isinstance(values, torch.Tensor) else tuple(values)


def _differentiable(values):
    return [x for x in values if isinstance(x, torch.Tensor) and x.requires_grad]


def _outputs(function, inputs):
    return [y for y in _tensors(function(*inputs)) if isinstance(y, torch.Tensor) and (y.is_floating_point() or y.is_complex())]


def _columns(function, inputs, x, eps):
    """d output / d x by central differences: for each output a matrix (elements of x, elements of output).

    For a complex x the two directions give the conjugate of the Wirtinger derivative that backward
    computes."""
    flat = x.data.view(-1) if x.is_contiguous() else None
    rows = []
    for k in range(x.numel()):
        place = k if flat is not None else _place(x, k)
        target = flat if flat is not None else x.data

        def difference(step):
            before = target[place].clone()
            target[place] = before + step
            high = [y.detach().clone() for y in _outputs(function, inputs)]
            target[place] = before - step
            low = [y.detach().clone() for y in _outputs(function, inputs)]
            target[place] = before
            return [(a - b) / (2 * eps) for a, b in zip(high, low)]

        along = difference(eps)
        rows.append((along, difference(eps * 1j) if x.is_complex() else None))
    return rows


def _place(x, k):
    place = []
    for length in reversed(x.shape):
        place.append(k % length)
        k //= length
    return tuple(reversed(place))


def _numerical(rows, output, weight, x):
    """Gradient with respect to x of the real part of <weight, output>, from the differences."""
    values = []
    for along, across in rows:
        real = (along[output] * weight.conj()).sum()
        real = real.real if real.is_complex() else real
        if across is None:
            values.append(real.item())
        else:
            imaginary = (across[output] * weight.conj()).sum()
            imaginary = imaginary.real if imaginary.is_complex() else imaginary
            values.append(complex(real.item(), imaginary.item()))
    return torch.tensor(values, dtype=x.dtype, device=x.device).view(x.shape)


def _units(y):
    """The weights of an output element: 1, and for complex outputs also i."""
    return (1, 1j) if y.is_complex() else (1,)


def _weights(y, unit):
    """Weights of an output that select each element in turn."""
    for k in range(y.numel()):
        weight = torch.zeros(y.numel(), dtype=y.dtype, device=y.device)
        weight[k] = unit
        yield weight.view(y.shape)


def _random_weight(y, generator):
    w = torch.rand(y.shape, dtype=torch.float64, generator=generator).to(y.real.dtype if y.is_complex() else y.dtype)
    return (torch.complex(w, w.flip(0) if w.dim() else w) if y.is_complex() else w).to(y.dtype)


def _jacobian(gradients, x, y):
    """The matrix (elements of x, elements of y) whose columns are these gradients."""
    if not gradients:
        return torch.zeros(x.numel(), y.numel(), dtype=x.dtype)
    return torch.stack([g.detach().reshape(-1) for g in gradients], 1)


def _dense(gradient, x, j):
    """A gradient of input j as a tensor of its shape."""
    if gradient is None:
        return torch.zeros_like(x)
    if gradient.shape != x.shape:
        raise GradcheckError(f"gradient of input {j} has shape {tuple(gradient.shape)}, expected {tuple(x.shape)}")
    return gradient.to_dense() if gradient.is_sparse else gradient


def gradcheck(
    func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
    check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Compare the derivative of a function with central differences.

    Args:
        func (function): of tensors, to a tensor or a tuple of them
        inputs (Tensor or tuple): where, in double precision
        eps (float, default 1e-6): the step
        atol (float, default 1e-5): the absolute tolerance
        rtol (float, default 1e-3): the relative tolerance
        raise_exception (bool, default True): raise, or return False
        nondet_tol (float, default 0.0): by how much two backward passes may differ
        check_undefined_grad (bool, default True): gradients of zeros must give zeros
        check_grad_dtypes (bool, default False): accepted for compatibility
        check_batched_grad (bool, default False): accepted for compatibility
        check_batched_forward_grad (bool, default False): accepted for compatibility
        check_forward_ad (bool, default False): check forward mode as well, with a tangent for every element
        check_backward_ad (bool, default True): must be True, or the one before
        fast_mode (bool, default False): look at one random direction first, and not at every element
        masked (bool, optional): accepted for compatibility

    Returns:
        whether they agree

    Raises:
        GradcheckError: they do not, and `raise_exception` is set
        ValueError: no input requires a gradient

    Example:
        >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(torch.sin, x)
        True
    """
    if not check_backward_ad and not check_forward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    try:
        _check(
            func,
            _tensors(inputs),
            eps,
            atol,
            rtol,
            nondet_tol,
            check_undefined_grad,
            fast_mode,
            check_backward_ad,
            check_forward_ad,
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(function, inputs, eps, atol, rtol, nondet_tol, check_undefined, fast, backward, forward):
    differentiable = _differentiable(inputs)
    if not differentiable:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for k, x in enumerate(differentiable):
        if x.dtype not in (torch.float64, torch.complex128):
            import warnings

            warnings.warn(
                f"Input #{k} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        x.retain_grad()
    rows = [_columns(function, inputs, x, eps) for x in differentiable]
    if forward:
        from torch.autograd._forward_check import check_forward

        check_forward(function, inputs, rows, atol, rtol)
    if not backward:
        return
    outputs = _outputs(function, inputs)
    live = [k for k, y in enumerate(outputs) if y.requires_grad]
    generator = torch.Generator()
    generator.manual_seed(0)
    for k, y in enumerate(outputs):
        if live and k not in live:
            continue  # beside results that have gradients: an index, a statistic, a mask
        if fast:
            weight = _random_weight(y, generator)
            found = _reentrant(y, differentiable, weight, k in live, nondet_tol)
            close = all(
                torch.allclose(_dense(found[j], x, j).detach(), _numerical(rows[j], k, weight, x), rtol, atol)
                for j, x in enumerate(differentiable)
            )
            if close:
                continue
        _check_output(y, k, k in live, differentiable, rows, atol, rtol, nondet_tol)
        if fast:
            raise GradcheckError(
                f"Jacobian mismatch for output {k}: the gradient of a random weighing of its "
                "elements is not what the differences say"
            )
    if check_undefined and live:
        _check_undefined([outputs[k] for k in live], differentiable)


def _check_output(y, k, live, differentiable, rows, atol, rtol, nondet_tol):
    """Compares the whole Jacobians of output k."""
    for unit in _units(y):
        weights = list(_weights(y, unit))
        found = [_reentrant(y, differentiable, weight, live, nondet_tol) for weight in weights]
        for j, x in enumerate(differentiable):
            expected = _jacobian([_numerical(rows[j], k, weight, x) for weight in weights], x, y)
            actual = _jacobian([_dense(gradients[j], x, j) for gradients in found], x, y)
            if torch.allclose(actual, expected, rtol, atol):
                continue
            part = "imaginary" if unit == 1j else "real"
            which = f"While considering the {part} part of complex outputs only, " if y.is_complex() else ""
            raise GradcheckError(
                f"{which}Jacobian mismatch for output {k} with respect to input {j},\n"
                f"numerical:{expected}\nanalytical:{actual}\n" + allclose_message(actual, expected)
            )


def _reentrant(y, differentiable, weight, live, nondet_tol):
    """Gradients of a weighted output, computed twice to check that they agree."""
    if not live:
        return [None] * len(differentiable)
    found = _gradients(y, differentiable, weight)
    _same(found, _gradients(y, differentiable, weight), nondet_tol)
    return found


def _gradients(y, differentiable, weight):
    return torch.autograd.grad(y, differentiable, weight, retain_graph=True, allow_unused=True)


def _same(found, again, tolerance):
    for a, b in zip(found, again):
        if (
            a is not None and b is not None and not a.is_sparse and (a - b).abs().max().item() > tolerance
            if (a is not None and a.numel())
            else False
        ):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
            )


def _check_undefined(outputs, differentiable):
    """Backward must treat gradients of zeros like missing gradients, for every output."""
    zeros = [torch.zeros_like(y) for y in outputs]
    for gradient in torch.autograd.grad(outputs, differentiable, zeros, retain_graph=True, allow_unused=True):
        if gradient is not None and not (gradient == 0).all():
            raise GradcheckError(
                "Expected backward function to handle undefined output grads: zero gradients of the outputs give "
                "gradients that are not zero"
            )


def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False, masked: bool = False,
) -> bool:  # fmt: skip
    """Compare the second derivative of a function with differences of the first.

    Args:
        func (function): of tensors, to a tensor or a tuple of them
        inputs (Tensor or tuple): where, in double precision
        grad_outputs (Tensor or tuple, optional): gradients of the outputs; random ones by default
        eps (float, default 1e-6): the step
        atol (float, default 1e-5): the absolute tolerance
        rtol (float, default 1e-3): the relative tolerance
        gen_non_contig_grad_outputs (bool, default False): make the random ones not contiguous
        raise_exception (bool, default True): raise, or return False
        nondet_tol (float, default 0.0): by how much two backward passes may differ
        check_undefined_grad (bool, default True): gradients of zeros must give zeros
        check_grad_dtypes (bool, default False): accepted for compatibility
        check_batched_grad (bool, default False): accepted for compatibility
        check_fwd_over_rev (bool, default False): check the first derivative with forward mode as well
        check_rev_over_rev (bool, default True): check it with backward mode
        fast_mode (bool, default False): look at one random direction first, and not at every element
        masked (bool, default False): accepted for compatibility

    Returns:
        whether they agree

    Raises:
        GradcheckError: they do not, and `raise_exception` is set

    Example:
        >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradgradcheck(torch.sin, x)
        True
    """
    inputs = _tensors(inputs)
    if grad_outputs is None:
        made = []
        for y in _outputs(func, inputs):
            noise = torch.randn(
                y.shape, dtype=y.dtype if y.dtype in (torch.float64, torch.complex128) else torch.float64, device=y.device
            ).to(y.dtype)
            if gen_non_contig_grad_outputs:
                noise = torch.stack([noise, noise], -1).select(-1, 0)
            made.append(noise.requires_grad_())
        grad_outputs = tuple(made)
    else:
        grad_outputs = _tensors(grad_outputs)

    def derivative(*arguments):
        inner, weights = arguments[: len(inputs)], arguments[len(inputs) :]
        inner = tuple(x for x in inner)
        differentiable = [x for x in inner if isinstance(x, torch.Tensor) and x.requires_grad]
        outputs = _outputs(func, inner)
        pairs = [(y, w) for y, w in zip(outputs, weights) if y.requires_grad]
        found = torch.autograd.grad(
            [y for y, _ in pairs], differentiable, [w for _, w in pairs], create_graph=True, allow_unused=True
        )
        return tuple(g for g in found if isinstance(g, torch.Tensor) and g.requires_grad)

    return gradcheck(
        derivative,
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )
