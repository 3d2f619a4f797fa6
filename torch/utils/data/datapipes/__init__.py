"""Pipes of samples: streams (`iter`) and collections by index (`map`), each a step over another one."""

from torch.utils.data.datapipes import iter, map  # noqa: A004

__all__ = ["iter", "map"]
