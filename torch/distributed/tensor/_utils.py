"""Shapes and places of the parts of tensors that are spread over processes."""

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("compute_global_tensor_info compute_local_shape_and_global_offset")
