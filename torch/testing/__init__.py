"""Comparisons and sample tensors for tests."""

from torch.testing._comparison import assert_close  # noqa: F401
from torch.testing._creation import make_tensor  # noqa: F401
