"""The former place of functions of torch.library."""

from torch.library import custom_op, get_ctx  # noqa: F401
