"""`annotate`: gives a recorded value a type."""

from __future__ import annotations

from typing import Any

from torch.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Give the node of a recorded value a type, which generated code shows.

    Args:
        val (Any): the value; one that is not recorded stays as it is
        type (type): its type

    Returns:
        the value

    Raises:
        RuntimeError: it has a type already
    """
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(f"torch.fx.annotate: {val.node} already has the type {val.node.type}, so it cannot become {type}")
        val.node.type = type
    return val
