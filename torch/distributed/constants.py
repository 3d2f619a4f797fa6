"""Numbers of the distributed package."""

from torch.distributed import default_pg_timeout  # noqa: F401
