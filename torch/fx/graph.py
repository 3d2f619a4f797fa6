"""Names of torch.fx under the name of the module that PyTorch has them in."""

from torch.fx import CodeGen, Graph  # noqa: F401
