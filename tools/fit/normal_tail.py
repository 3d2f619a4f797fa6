"""Polynomials of the normal distribution's tail beyond x, from 0 to 8, for floats."""

import mpmath as mp

PIECES, DEGREE = 32, 7


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def piece(k):
    """Coefficients in t = 4 x - k - 1/2, from -1/2 to 1/2: interpolation at Chebyshev points."""
    nodes = [mp.cos(mp.pi * (2 * j + 1) / (2 * DEGREE + 2)) / 2 for j in range(DEGREE + 1)]
    matrix = mp.matrix([[t**p for p in range(DEGREE + 1)] for t in nodes])
    values = mp.matrix([tail((t + k + mp.mpf(1) / 2) / 4) for t in nodes])
    return list(mp.lu_solve(matrix, values))


def normal_tail():
    pieces = [piece(k) for k in range(PIECES)]
    print("// The normal distribution's tail beyond x. For each power of t = 4 x - k - 1/2, from the highest on, its")
    print("// coefficients for k = 0 to 31: relative errors of 1e-7 where x < 7, and 4e-7 up to 8.")
    print(f"AT_TABLE float kNormalTail[{DEGREE + 1}][{PIECES}] = {{")
    for power in range(DEGREE, -1, -1):
        print("    {" + ", ".join(f"{float(pieces[k][power]):.9e}f" for k in range(PIECES)) + "},")
    print("};")
