"""Polynomials around neighbouring points, whose coefficients vectors of floats pick out of registers."""

import mpmath as mp


def coefficients(f, middle, ends, degree, num_points):
    """Those of f(middle + t), for t between the ends: least squares of relative errors at Chebyshev points."""
    low, high = ends
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * j + 1) / (2 * num_points)) for j in range(num_points)]
    values = [f(middle + t) for t in points]
    matrix = mp.matrix([[t**p / value for p in range(degree + 1)] for t, value in zip(points, values)])
    return list(mp.lu_solve(matrix, mp.matrix([1] * num_points)))


def print_table(name, pieces):
    """A row for each power, the highest first, with a column for each piece."""
    print(f"AT_TABLE float {name}[{len(pieces[0])}][{len(pieces)}] = {{")
    for row in reversed(list(zip(*pieces))):
        print("    {" + ", ".join(f"{float(mp.chop(c, 1e-40)):.9e}f" for c in row) + "},")
    print("};")
