"""Counts the floating point operations of matrix products and convolutions, by module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map
from torch.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = torch.ops.aten
flop_registry: dict[Any, Callable[..., int]] = {}
_SUFFIXES = ("", "K", "M", "B", "T")


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, torch.Tensor) else value


def _of_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    """Let a formula of shapes take tensors."""

    @wraps(formula)
    def of_tensors(*args, out_val=None, **kwargs):
        args, kwargs, out = tree_map(_shape, (args, kwargs, out_val))
        return formula(*args, out_shape=out, **kwargs)

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function counts the operations of an operator.

    Args:
        targets (OpOverloadPacket or list of them): the operators, such as `torch.ops.aten.mm`
        get_raw (bool, default False): the function gets tensors and `out_val`, rather than shapes and `out_shape`

    Raises:
        ValueError: a target is no operator

    Example:
        >>> from torch.utils.flop_counter import FlopCounterMode, register_flop_formula
        >>> @register_flop_formula(torch.ops.aten.frac)
        ... def frac_flop(shape, *args, out_shape=None, **kwargs):
        ...     return shape.numel()
        >>> with FlopCounterMode(display=False) as counter:
        ...     y = torch.frac(torch.ones(5))
        >>> counter.get_total_flops()
        5
    """

    def register(formula):
        used = formula if get_raw else _of_shapes(formula)

        def one(target):
            if not hasattr(target, "overloads"):
                raise ValueError(f"register_flop_formula: expected operators such as torch.ops.aten.mm, got {target!r}")
            if target in flop_registry:
                raise RuntimeError(f"register_flop_formula: {target} has a formula already")
            flop_registry[target] = used

        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            one(target)
        return formula

    return register


@register_flop_formula(aten.mm)
def mm_flop(a_shape: Any, b_shape: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """A multiplication and an addition for each element of each row times column."""
    (m, k), (_, n) = a_shape, b_shape
    return 2 * m * n * k


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As mm; the sum with `self` is not counted."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As mm, for each matrix of the batch."""
    return a_shape[0] * mm_flop(a_shape[1:], b_shape[1:])


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As bmm; the sum with `self` is not counted."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Any, w_shape: Any, out_shape: Any, transposed: bool = False) -> int:
    """A product with the whole filter at each place of the output; of the input, if transposed."""
    places = prod((x_shape if transposed else out_shape)[2:])
    return 2 * x_shape[0] * places * prod(w_shape)


@register_flop_formula([aten.convolution, aten._convolution])
def conv_flop(
    x_shape: Any, w_shape: Any, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool, *args: Any,
    out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Operations of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(
    grad_out_shape: Any, x_shape: Any, w_shape: Any, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool,
    _output_padding: Any, _groups: int, output_mask: Any, out_shape: Any = None,
) -> int:  # fmt: skip
    """Both gradients are convolutions: with the filter transposed, and of input and gradient with the channels first."""

    def swapped(shape):
        return [shape[1], shape[0], *shape[2:]]

    flops = 0
    if output_mask[0]:
        flops += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        image, filters = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        flops += conv_flop_count(swapped(image), swapped(filters), swapped(out_shape[1]), False)
    return flops


def convert_num_with_suffix(number: int, suffix: str) -> str:
    """A number in thousands, millions, ..."""
    power = _SUFFIXES.index(suffix)
    return f"{number / 1000**power:.3f}{suffix}" if power else str(number)


def get_suffix_str(number: int) -> str:
    """The suffix that leaves two to four digits before the point."""
    return _SUFFIXES[max(0, min(len(_SUFFIXES) - 1, (len(str(number)) - 2) // 3))]


def convert_to_percent_str(num: int, denom: int) -> str:
    """A share in percent."""
    return f"{num / denom:.2%}" if denom else "0%"


class FlopCounterMode:
    """A block whose matrix products and convolutions are counted, forward and backward.

    Args:
        mods (Module or list of Module, optional): of no effect: all modules are followed
        depth (int, default 2): how deep the table goes into modules
        display (bool, default True): print the table at the end
        custom_mapping (dict, optional): {operator: formula} beside those that are registered

    Example:
        >>> from torch.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode() as counter:
        ...     y = nn.Linear(3, 4)(torch.ones(2, 3))
        Module         FLOP    % Total
        -----------  ------  ---------
        Linear           48    100.00%
        - aten.addmm     48    100.00%
    """

    def __init__(
        self, mods: Any = None, depth: int | None = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:  # fmt: skip
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display, self.mode = depth, display, None
        own = {op: f if getattr(f, "_get_raw", False) else _of_shapes(f) for op, f in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """The number of operations.

        Returns:
            the number
        """
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The numbers by module and operator.

        Returns:
            {name of a module: {operator: number}}; "Global" has all
        """
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A table of modules and operators.

        Args:
            depth (int, optional): how deep it goes; by default as the counter was made

        Returns:
            its lines
        """
        depth = self.depth if depth is None else depth
        depth = 999999 if depth is None else depth
        total = self.get_total_flops()
        suffix = get_suffix_str(total)

        def rows_of(name):
            counts = self.flop_counts[name]

            def row(label, number):
                return (label, convert_num_with_suffix(number, suffix), convert_to_percent_str(number, total))

            return [row(name, sum(counts.values())), *(row(f"- {op}", number) for op, number in counts.items())]

        names = sorted(name for name in self.flop_counts if name != "Global" and name.count(".") < depth)
        covered = any(sum(self.flop_counts[name].values()) >= total for name in names)
        rows = [] if covered else rows_of("Global")
        for name in names:
            rows += rows_of(name)
        rows = rows or [("Global", "0", "0%")]
        return _table(("Module", "FLOP", "% Total"), rows)

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counter(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self.mode.__exit__(*problem)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _count(self, packet, out, args, kwargs):
        formula = self.flop_registry.get(packet)
        if formula is not None:
            number = formula(*args, **kwargs, out_val=out)
            for name in set(self.mod_tracker.parents):
                self.flop_counts[name][packet] += number


class _Counter(TorchDispatchMode):
    def __init__(self, counter):
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.counter._count(func._overloadpacket, out, args, kwargs or {})
        return out


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(title) + 2 if k else len(title), *(len(row[k]) for row in rows)) for k, title in enumerate(head)]
    widths[0] = max(widths[0], len(head[0]) + 2)

    def line(cells):
        return "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))])

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])
