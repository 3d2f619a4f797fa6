"""All parameters as one vector."""

import torch


def parameters_to_vector(parameters):
    """The elements of all parameters, one after the other."""
    return torch.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Let the parameters be views of parts of `vec`."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
