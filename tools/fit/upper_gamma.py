"""The tables of the incomplete gamma functions of vectors, in eight pieces: python -m tools.fit upper"""

import mpmath as mp

PIECES = 8


def chebyshev_matrix(n):
    """Values at Chebyshev points to coefficients."""
    angles = [mp.pi * (j + mp.mpf(1) / 2) / n for j in range(n)]
    rows = [[2 * mp.cos(k * angle) / n for angle in angles] for k in range(n)]
    rows[0] = [value / 2 for value in rows[0]]
    return [mp.cos(angle) for angle in angles], rows


def transform(rows, values):
    return [sum(r * v for r, v in zip(row, values)) for row in rows]


def scaled_upper(a, x):
    """exp(x) x^(1 - a) Gamma(a, x), which is 1 for large x."""
    return mp.exp(x) * mp.expint(1 - a, x) * x


def upper(chebyshev_to_powers, n_fraction=18, n_place=24):
    """Of fraction f in [0, 1], as powers of 2 f - 1, and x >= 1/2, as powers of place in a piece of 12 / (1 + x)."""
    mp.mp.dps = 40
    f_points, f_rows = chebyshev_matrix(n_fraction)
    u_points, u_rows = chebyshev_matrix(n_place)
    tables = []
    for piece in range(PIECES):
        places = [(piece + (u + 1) / 2) / 12 for u in u_points]
        values = [[scaled_upper((f + 1) / 2 - 1, 1 / t - 1) for t in places] for f in f_points]
        in_place = [transform(u_rows, row) for row in values]
        both = [transform(f_rows, [in_place[j][k] for j in range(n_fraction)]) for k in range(n_place)]
        tables.append([[both[k][j] for k in range(n_place)] for j in range(n_fraction)])  # [power of f][power of place]
    tolerance = mp.mpf("1.5e-17")

    def needed(row):
        return max((k + 1 for table in tables for k, c in enumerate(table[row]) if abs(c) > tolerance), default=0)

    lengths = [needed(j) for j in range(n_fraction)]
    lengths = lengths[: max(j for j in range(n_fraction) if lengths[j]) + 1]
    powers = []
    for table in tables:
        rows = [chebyshev_to_powers(row[:n]) if n else [] for row, n in zip(table, lengths)]
        columns = max(lengths)
        grid = [[mp.mpf(0)] * columns for _ in lengths]
        for k in range(columns):
            column = chebyshev_to_powers([row[k] if k < len(row) else mp.mpf(0) for row in rows])
            for j, c in enumerate(column):
                grid[j][k] = c
        powers.append(grid)
    lengths = [max((k + 1 for g in powers for k in range(len(g[j])) if g[j][k]), default=1) for j in range(len(lengths))]
    print("// exp(x) x^(2 - f) Gamma(f - 1, x): the number of powers of the place, for each power of 2 f - 1; then the")
    print("// coefficients of all pieces, the highest powers first.")
    print(f"constexpr int kUpperTerms[] = {{{', '.join(str(n) for n in reversed(lengths))}}};")
    print(f"constexpr double kUpper[{sum(lengths)}][{PIECES}] = {{")
    for j in reversed(range(len(lengths))):
        for k in reversed(range(lengths[j])):
            print("    {" + ", ".join(float(g[j][k]).hex() for g in powers) + "},")
    print("};\n")


def reciprocal(fit):
    """1 / Gamma(1 + r) over eighths of [0, 1], with the constant term as a pair."""
    pieces = [fit(lambda r: 1 / mp.gamma(1 + r), mp.mpf(i) / PIECES, mp.mpf(i + 1) / PIECES) for i in range(PIECES)]
    n = max(len(c) for c in pieces)
    pieces = [c + [mp.mpf(0)] * (n - len(c)) for c in pieces]
    print(
        "// 1 / Gamma(1 + r) over the eighths of [0, 1]: the constant as a pair, then the other terms, the highest power first."
    )
    print(f"constexpr double kReciprocal[{n + 1}][8] = {{")
    print("    {" + ", ".join(float(c[0]).hex() for c in pieces) + "},")
    print("    {" + ", ".join(float(c[0] - mp.mpf(float(c[0]))).hex() for c in pieces) + "},")
    for k in reversed(range(1, n)):
        print("    {" + ", ".join(float(c[k]).hex() for c in pieces) + "},")
    print("};\n")
