"""What programs import from this module of PyTorch's compiler."""

from torch._dynamo import (  # noqa: F401
    allow_in_graph,
    assume_constant_result,
    disable,
    disallow_in_graph,
    graph_break,
    mark_dynamic,
    mark_static,
    mark_static_address,
    maybe_mark_dynamic,
)
