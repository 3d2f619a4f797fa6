"""What programs import from this module of PyTorch's compiler."""

from torch._compiled_module import OptimizedModule  # noqa: F401
from torch._dynamo import disable, explain, export, is_dynamo_supported, optimize, run  # noqa: F401
