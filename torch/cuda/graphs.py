"""Functions of torch.cuda, under the name of the module that PyTorch has them in."""

from torch.cuda import (  # noqa: F401
    CUDAGraph,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
)
