"""The mode behind `with torch.device(...)`."""

from torch.overrides import TorchFunctionMode  # noqa: F401
