"""Finds how a size of a result depends on the sizes of the arguments, from what an operator gives for several of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from torch.fx.experimental.sym_node import SymNode

_STEPS = range(1, 13)  # every residue of a stride up to 12 occurs
_MAX_STRIDE = 12
_MAX_FACTORS, _MAX_ATOMS = 4, 8

Assignment = dict[str, int]


def assignments(symbols: Sequence[str], base: Assignment) -> list[Assignment]:
    """Values of the symbols to try: each one a little larger, then all of them differently."""
    tried = [dict(base)]
    for name in symbols:
        tried += [{**base, name: base[name] + step} for step in _STEPS]
    tried += [{name: value + (3 * k + 2) * (i + 1) for i, (name, value) in enumerate(base.items())} for k in range(3)]
    return tried


def fitted(values: list[int], tried: list[Assignment], atoms: Sequence[SymNode]) -> Any:
    """An expression of the atoms with these values for these assignments, an int, or None.

    Args:
        values (list): one for each assignment
        tried (list): the assignments
        atoms (Sequence[SymNode]): sizes of the arguments
    """
    if all(value == values[0] for value in values):
        return values[0]
    rows = [(atom, [atom.evaluate(a) for a in tried]) for atom in atoms]
    rows = [(atom, row) for atom, row in rows if any(x != row[0] for x in row)]
    # A floor is certain only if every residue was tried.
    complete = len(tried) > len(_STEPS)
    for find in (_one_of, _affine, _product, _floor, _extreme) if complete else (_one_of, _affine, _product, _extreme):
        found = find(values, rows)
        if found is not None:
            return found
    return None


Rows = list[tuple[SymNode, list[int]]]


def _one_of(values: list[int], rows: Rows) -> SymNode | None:
    return next((atom for atom, row in rows if row == values), None)


def _affine(values: list[int], rows: Rows) -> SymNode | None:
    """Whole multiples of atoms, and a constant."""
    columns = [row for _, row in rows] + [[1] * len(values)]
    solution = _solve(columns, values)
    if solution is None or any(c.denominator != 1 for c in solution):
        return None
    node: Any = None
    for (atom, _), coefficient in zip(rows, solution):
        if coefficient:
            term = atom if coefficient == 1 else atom.apply("mul", atom, int(coefficient))
            node = term if node is None else node.apply("add", node, term)
    return None if node is None else _plus(node, int(solution[-1]))


def _solve(columns: list[list[int]], values: list[int]) -> list[Fraction] | None:
    """Coefficients of the columns that give the values exactly; columns that depend on others get zero."""
    width = len(columns)
    table = [[Fraction(column[k]) for column in columns] + [Fraction(values[k])] for k in range(len(values))]
    pivots: list[tuple[int, int]] = []
    row = 0
    for column in range(width):
        pivot = next((r for r in range(row, len(table)) if table[r][column]), None)
        if pivot is None:
            continue
        table[row], table[pivot] = table[pivot], table[row]
        scale = table[row][column]
        table[row] = [x / scale for x in table[row]]
        for r in range(len(table)):
            if r != row and table[r][column]:
                factor = table[r][column]
                table[r] = [x - factor * y for x, y in zip(table[r], table[row])]
        pivots.append((row, column))
        row += 1
    if any(line[width] for line in table[row:]):
        return None
    solution = [Fraction(0)] * width
    for r, column in pivots:
        solution[column] = table[r][width]
    return solution


def _product(values: list[int], rows: Rows) -> SymNode | None:
    """A multiple or a quotient of a product of atoms: views, and what they give again."""
    for count in range(1, _MAX_FACTORS + 1):
        for chosen in itertools.combinations_with_replacement(rows[:_MAX_ATOMS], count):
            products = [math.prod(row[k] for _, row in chosen) for k in range(len(values))]
            if any(not product for product in products) or values[0] * products[1] != values[1] * products[0]:
                continue
            factor = Fraction(values[0], products[0])
            if any(Fraction(v, p) != factor for v, p in zip(values, products)):
                continue
            node = chosen[0][0]
            for atom, _ in chosen[1:]:
                node = node.apply("mul", node, atom)
            if factor.numerator != 1:
                node = node.apply("mul", node, factor.numerator)
            return _over(node, factor.denominator) if factor.denominator != 1 else node
    return None


def _floor(values: list[int], rows: Rows) -> SymNode | None:
    """(k * atom + c) // d: strided convolutions, pooling, slices with steps."""
    for atom, row in rows:
        for divisor in range(2, _MAX_STRIDE + 1):
            for factor in range(1, 5):
                rest = [divisor * v - factor * x for v, x in zip(values, row)]
                low, high = max(rest), min(rest) + divisor - 1
                if low == high:
                    scaled = atom if factor == 1 else atom.apply("mul", atom, factor)
                    # (s + c) // d as (s + r) // d + q, with r from 0 to d - 1.
                    quotient, remainder = divmod(low, divisor)
                    return _plus(_over(_plus(scaled, remainder), divisor), quotient)
    return None


def _over(node: SymNode, divisor: int) -> SymNode:
    return node.apply("floordiv", node, divisor)


def _plus(node: SymNode, constant: int) -> SymNode:
    if constant == 0:
        return node
    return node.apply("add", node, constant) if constant > 0 else node.apply("sub", node, -constant)


def _extreme(values: list[int], rows: Rows) -> SymNode | None:
    choices: dict[str, Callable[..., int]] = {"min": min, "max": max}
    for name, choose in choices.items():
        for k, (a, first) in enumerate(rows):
            for b, second in rows[k + 1 :]:
                if [choose(x, y) for x, y in zip(first, second)] == values:
                    return a.apply(name, a, b)
    return None
