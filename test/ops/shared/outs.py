"""Calls of out= overloads that samples do not fit: the results go to new tensors."""

from ops.shared.overloads import is_out

import torch


def into(overload, like, first=False):
    """Calls the overload with empty tensors of the types of what `like` returns; `first`: only the first result counts."""
    names = [a.name for a in overload._schema.arguments if is_out(a)]
    takes = {a.name for a in overload._schema.arguments}

    def call(*args, **kwargs):
        results = like(*args, **kwargs)
        results = results if isinstance(results, tuple) else (results,)
        outs = {n: torch.empty(0, dtype=t.dtype, device=t.device) for n, t in zip(names, results)}
        found = overload(*args, **{k: v for k, v in kwargs.items() if k in takes}, **outs)
        return found[0] if first else found

    return call
