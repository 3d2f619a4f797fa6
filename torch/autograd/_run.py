"""`backward` and `grad`: they check arguments and call the engine."""

from __future__ import annotations

import torch
from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


_OUT_OF_PLACE = "grad can be implicitly created only for scalar outputs"


def _tuple(values):
    return (values,) if isinstance(values, (torch.Tensor, _edge_type())) else tuple(values)


def _edge_type():
    from torch.autograd.graph import GradientEdge

    return GradientEdge


def _checked_gradient(output, gradient):
    """The gradient of one output: checks the caller's, or creates one."""
    if gradient is None:
        if isinstance(output, torch.Tensor) and output.requires_grad:
            if output.numel() != 1:
                raise RuntimeError(_OUT_OF_PLACE)
            if not output.dtype.is_floating_point:
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
            return torch.ones_like(output, memory_format=torch.preserve_format)
        return None
    if not isinstance(gradient, torch.Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return gradient


def _gradients(outputs, gradients, batched=False):
    made = []
    for output, gradient in zip(outputs, gradients):
        if gradient is not None and isinstance(output, torch.Tensor) and isinstance(gradient, torch.Tensor):
            shape = gradient.shape[1:] if batched else gradient.shape
            if shape != output.shape:
                k = len(made)
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{k}] has a shape of {gradient.shape} and output[{k}] has a "
                    f"shape of {output.shape}."
                )
            if output.dtype.is_complex != gradient.dtype.is_complex:
                k = len(made)
                raise RuntimeError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. "
                    f"Mismatch in dtype: grad_output[{k}] has a dtype of {gradient.dtype} and output[{k}] has a "
                    f"dtype of {output.dtype}."
                )
        made.append(_checked_gradient(output, gradient))
    return tuple(made)


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    grad_variables: Any = None, inputs: Any = None,
) -> None:  # fmt: skip
    """Accumulate gradients of the sum of tensors into the `grad` of the leaves.

    Args:
        tensors (Tensor or Sequence[Tensor]): what is differentiated
        grad_tensors (Tensor or Sequence[Tensor], optional): what weighs their elements; may be left out for single ones
        retain_graph (bool, optional): keep what a second backward needs; by default as `create_graph`
        create_graph (bool, default False): record the backward, for derivatives of it
        grad_variables (Tensor or Sequence[Tensor], optional): the old name of `grad_tensors`
        inputs (Tensor, Sequence or dict, optional): the leaves that are to receive; by default all

    Raises:
        RuntimeError: no gradient is wanted anywhere, shapes differ, or the graph was freed by a backward before

    Example:
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> torch.autograd.backward(x * x, torch.tensor([1., 10.]))
        >>> x.grad
        tensor([ 2., 40.])
    """
    if grad_variables is not None:
        import warnings

        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = tuple(inputs.values()) if isinstance(inputs, dict) else _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    tensors = _tuple(tensors)
    if grad_tensors is None:
        gradients = (None,) * len(tensors)
    else:
        gradients = (grad_tensors,) if isinstance(grad_tensors, torch.Tensor) else tuple(grad_tensors)
        if len(gradients) != len(tensors):
            raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    gradients = _gradients(tensors, gradients)
    _C._engine_run_backward(
        tensors, gradients, create_graph if retain_graph is None else retain_graph, create_graph, inputs or (), True, True
    )


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:  # fmt: skip
    """Gradients of the sum of outputs with respect to inputs.

    Args:
        outputs (Tensor or Sequence[Tensor]): what is differentiated
        inputs (Tensor, Sequence or dict): with respect to what
        grad_outputs (Tensor or Sequence[Tensor], optional): what weighs the elements of outputs; may be left out for single ones
        retain_graph (bool, optional): keep what a second backward needs; by default as `create_graph`
        create_graph (bool, default False): record the backward, for derivatives of it
        only_inputs (bool, default True): kept for old programs
        allow_unused (bool, optional): None for an input that outputs do not depend on, which is otherwise an error
        is_grads_batched (bool, default False): `grad_outputs` have a leading dimension of many weighings
        materialize_grads (bool, default False): zeros for such an input

    Returns:
        a tuple of gradients, one for each input; a dictionary for one

    Raises:
        RuntimeError: an input is not used, shapes differ, or the graph was freed by a backward before

    Example:
        >>> x = torch.tensor(3., requires_grad=True)
        >>> first, = torch.autograd.grad(x ** 3, x, create_graph=True)
        >>> torch.autograd.grad(first, x)
        (tensor(18.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        import warnings

        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    names = list(inputs) if isinstance(inputs, dict) else None
    outputs = _tuple(outputs)
    inputs = tuple(inputs.values()) if names is not None else _tuple(inputs)
    everything = (*outputs, *inputs)
    if _C._has_torch_function(everything):
        from torch.overrides import handle_torch_function

        return handle_torch_function(
            grad, everything, outputs, inputs, grad_outputs=grad_outputs, retain_graph=retain_graph,
            create_graph=create_graph, only_inputs=only_inputs, allow_unused=allow_unused, is_grads_batched=is_grads_batched,
            materialize_grads=materialize_grads,
        )  # fmt: skip
    if grad_outputs is None:
        weights = (None,) * len(outputs)
    else:
        weights = (grad_outputs,) if isinstance(grad_outputs, torch.Tensor) else tuple(grad_outputs)
        if len(weights) != len(outputs):
            raise RuntimeError(f"got {len(outputs)} tensors and {len(weights)} gradients")
    weights = _gradients(outputs, weights, is_grads_batched)
    retain_graph = create_graph if retain_graph is None else retain_graph
    unused = bool(materialize_grads if allow_unused is None else allow_unused)
    if is_grads_batched:
        found = _batched(outputs, inputs, weights, retain_graph, create_graph, unused)
    else:
        found = _C._engine_run_backward(outputs, weights, retain_graph, create_graph, inputs, unused, False)
    if materialize_grads:
        if any(not isinstance(x, torch.Tensor) for x in inputs):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        found = tuple(torch.zeros_like(x, requires_grad=create_graph) if g is None else g for g, x in zip(found, inputs))
    return dict(zip(names, found)) if names is not None else found


def _batched(outputs, inputs, weights, retain_graph, create_graph, unused):
    """One backward for all weighings, under vmap."""
    from torch._functorch.apis import vmap

    places = [k for k, weight in enumerate(weights) if weight is not None]
    used: list[bool] = []

    def backward(*rows):
        row = list(weights)
        for k, weight in zip(places, rows):
            row[k] = weight
        found = _C._engine_run_backward(outputs, tuple(row), retain_graph, create_graph, inputs, unused, False)
        used.extend(gradient is not None for gradient in found)
        return tuple(gradient for gradient in found if gradient is not None)

    columns = iter(vmap(backward)(*(weights[k] for k in places)))
    return tuple(next(columns) if there else None for there in used)
