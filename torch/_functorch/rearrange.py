"""`rearrange`: permute, split, join, add and drop dimensions by a pattern of names, as the package einops does."""

from __future__ import annotations

import math
import re

import torch

_GROUP = re.compile(r"\(([^()]*)\)|(\.\.\.|…)|(\w+)")


def _parse(side: str, pattern: str) -> list[list[str]]:
    """The dimensions of one side, each as the list of names that it is joined of; the ellipsis is ["..."]."""
    groups, position = [], 0
    for found in _GROUP.finditer(side):
        if side[position : found.start()].strip():
            raise ValueError(f"rearrange: unexpected {side[position : found.start()].strip()!r} in the pattern {pattern!r}")
        position = found.end()
        joined, dots, name = found.groups()
        groups.append(joined.split() if joined is not None else ["..."] if dots else [name])
    if side[position:].strip():
        raise ValueError(f"rearrange: unexpected {side[position:].strip()!r} in the pattern {pattern!r}")
    for name in (name for group in groups for name in group):
        if name not in ("...", "1") and (not name.isidentifier() or name.startswith("_") or name.endswith("_")):
            raise ValueError(f"rearrange: {name!r} is no name of a dimension, in the pattern {pattern!r}")
    return [[name for name in group if name != "1"] for group in groups]


def _lengths_of(group: list[str], size: int, known: dict[str, int], pattern: str) -> list[int]:
    """The lengths of the names that a dimension is joined of; at most one is not known."""
    unknown = [name for name in group if name not in known]
    rest = math.prod(known[name] for name in group if name in known)
    if len(unknown) > 1:
        raise ValueError(f"rearrange: the lengths of {unknown} cannot be told apart in {pattern!r}; give all but one")
    if unknown:
        if rest == 0 or size % rest:
            raise ValueError(f"rearrange: a dimension of {size} cannot be split into parts of {rest}, in {pattern!r}")
        known[unknown[0]] = size // rest
    elif rest != size:
        raise ValueError(f"rearrange: expected a dimension of {rest} for {' '.join(group) or '1'}, got {size}, in {pattern!r}")
    return [known[name] for name in group]


def rearrange(
    tensor: torch.Tensor | list[torch.Tensor] | tuple[torch.Tensor, ...], pattern: str, **axes_lengths: int
) -> torch.Tensor:
    """Permute, split and join dimensions by a pattern such as `"b (h w) c -> b c h w"`.

    Names in parentheses are one dimension that is split, or joined, with the last name varying fastest. `...` stands for any
    number of dimensions, and `1` or `()` for one of length 1.

    Args:
        tensor (Tensor or list[Tensor]): a list is stacked along a new first dimension
        pattern (str): the dimensions before and after
        **axes_lengths (int): lengths of names

    Returns:
        a view where one is possible

    Raises:
        ValueError: the pattern is malformed, or does not fit

    Example:
        >>> torch.func.rearrange(torch.arange(6), "(h w) -> w h", h=2)
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
    """
    if not isinstance(tensor, torch.Tensor):
        tensor = torch.stack(list(tensor))
    if pattern.count("->") != 1:
        raise ValueError(f"rearrange: expected one -> in the pattern, got {pattern!r}")
    left, right = (_parse(side, pattern) for side in pattern.split("->"))
    names, targets = ([name for group in side for name in group] for side in (left, right))
    if len(set(names)) != len(names) or len(set(targets)) != len(targets):
        raise ValueError(f"rearrange: a name stands twice on one side of {pattern!r}")
    if set(names) != set(targets):
        raise ValueError(f"rearrange: {sorted(set(names) ^ set(targets))} stand on one side of {pattern!r} only")
    unused = set(axes_lengths) - set(names)
    if unused:
        raise ValueError(f"rearrange: lengths of {sorted(unused)}, which are not in {pattern!r}")
    if ["..."] in left:
        place, count = left.index(["..."]), tensor.dim() - len(left) + 1
        dots = [f"...{k}" for k in range(max(0, count))]
        left = [*left[:place], *([name] for name in dots), *left[place + 1 :]]
        right = [part for group in right for part in ([[name] for name in dots] if group == ["..."] else
                 [[inner for name in group for inner in (dots if name == "..." else [name])]])]  # fmt: skip
    if len(left) != tensor.dim():
        raise ValueError(f"rearrange: {pattern!r} has {len(left)} dimensions, the tensor {tensor.dim()}")
    known = dict(axes_lengths)
    split = [length for group, size in zip(left, tensor.shape) for length in _lengths_of(group, size, known, pattern)]
    order = {name: k for k, name in enumerate(name for group in left for name in group)}
    permuted = tensor.reshape(split).permute([order[name] for group in right for name in group])
    return permuted.reshape([math.prod(known[name] for name in group) for group in right])
