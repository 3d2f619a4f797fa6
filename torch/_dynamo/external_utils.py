"""What programs import from this module of PyTorch's compiler."""

from torch.compiler import is_compiling  # noqa: F401
