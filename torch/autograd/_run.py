"""`backward` and `grad`: arguments checked, then the engine."""

import torch
from torch import _C

_OUT_OF_PLACE = "grad can be implicitly created only for scalar outputs"


def _tuple(values):
    return (values,) if isinstance(values, (torch.Tensor, _edge_type())) else tuple(values)


def _edge_type():
    from torch.autograd.graph import GradientEdge

    return GradientEdge


def _checked_gradient(output, gradient):
    """The gradient of one output, made or checked."""
    if gradient is None:
        if isinstance(output, torch.Tensor) and output.requires_grad:
            if output.numel() != 1:
                raise RuntimeError(_OUT_OF_PLACE)
            if not output.dtype.is_floating_point:
                raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                                   f"{output.dtype}")
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
                raise RuntimeError(f"Mismatch in shape: grad_output[{k}] has a shape of {gradient.shape} "
                                   f"and output[{k}] has "
                                   f"a shape of {output.shape}.")
            if output.dtype.is_complex != gradient.dtype.is_complex:
                k = len(made)
                raise RuntimeError("For complex Tensors, both grad_output and output are required to have "
                                   "the same dtype. "
                                   f"Mismatch in dtype: grad_output[{k}] has a dtype of {gradient.dtype} "
                                   f"and output[{k}] has "
                                   f"a dtype of {output.dtype}.")
        made.append(_checked_gradient(output, gradient))
    return tuple(made)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
             inputs=None):
    """Accumulate the gradients of the sum of `tensors`, weighed by `grad_tensors`, into the leaves'
    `grad`."""
    if _C._are_functorch_transforms_active() if hasattr(_C, "_are_functorch_transforms_active") else False:
        raise RuntimeError("backward() called inside a functorch transform")
    if grad_variables is not None:
        import warnings

        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning,
                      stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. "
                               "Please only use `grad_tensors`.")
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
    _C._engine_run_backward(tensors, gradients, create_graph if retain_graph is None else retain_graph,
                            create_graph,
                            inputs or (), True, True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """Gradients of the sum of `outputs`, weighed by `grad_outputs`, with respect to `inputs`: a tuple.

    An input that the outputs do not depend on is an error, unless `allow_unused` (then None) or
    `materialize_grads` (then zeros). `is_grads_batched`: grad_outputs have a leading dimension of many
    weighings."""
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but "
                         "got: "
                         "allow_unused=False.")
    if not only_inputs:
        import warnings

        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To "
                      "accumulate gradient for "
                      "other parts of the graph, please use torch.autograd.backward.", FutureWarning,
                      stacklevel=2)
    names = list(inputs) if isinstance(inputs, dict) else None
    outputs = _tuple(outputs)
    inputs = tuple(inputs.values()) if names is not None else _tuple(inputs)
    everything = (*outputs, *inputs)
    if _C._has_torch_function(everything):
        from torch.overrides import handle_torch_function

        return handle_torch_function(
            grad, everything, outputs, inputs, grad_outputs=grad_outputs, retain_graph=retain_graph,
            create_graph=create_graph, only_inputs=only_inputs, allow_unused=allow_unused,
            is_grads_batched=is_grads_batched, materialize_grads=materialize_grads)
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
        found = tuple(torch.zeros_like(x, requires_grad=create_graph) if g is None else g for g,
                      x in zip(found, inputs))
    return dict(zip(names, found)) if names is not None else found


def _batched(outputs, inputs, weights, retain_graph, create_graph, unused):
    """One backward for every weighing, their results stacked."""
    count = next(weight.shape[0] for weight in weights if weight is not None)
    rows = []
    for k in range(count):
        row = tuple(None if weight is None else weight[k] for weight in weights)
        rows.append(_C._engine_run_backward(outputs, row, retain_graph or k + 1 < count, create_graph, inputs,
                                            unused, False))
    return tuple(None if column[0] is None else torch.stack(column) for column in zip(*rows))
