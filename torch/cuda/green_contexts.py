"""A class of torch.cuda, under the name of the module that PyTorch has it in."""

from torch.cuda import GreenContext  # noqa: F401
