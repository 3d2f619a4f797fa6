"""Writes aten/src/ATen/native/sobol/cpu/direction_numbers.bin from the table that SciPy has.

    python -m tools.sobol_directions

The table is new-joe-kuo-6.21201 of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
projections" (2008). Each dimension but the first has a primitive polynomial and as many odd starting values as its degree.
The file holds the bits that are not known beforehand, most significant first: of the polynomial what is between the first and the
last coefficient, of the k-th value the k - 1 bits above the last. Polynomials ascend, so the degree of a dimension is known too.
"""

from pathlib import Path

import numpy as np

TABLE = Path(__file__).parent.parent / "aten/src/ATen/native/sobol/cpu/direction_numbers.bin"


def pack(polynomials, values):
    """The bits of all dimensions but the first, eight a byte."""
    bits = []
    for polynomial, starts in zip(map(int, polynomials[1:]), values[1:]):
        degree = polynomial.bit_length() - 1
        bits += [(polynomial >> k) & 1 for k in range(degree - 1, 0, -1)]
        for k, start in enumerate(map(int, starts[:degree])):
            bits += [(start >> b) & 1 for b in range(k, 0, -1)]
    return np.packbits(np.array(bits, dtype=np.uint8)).tobytes()


def main():
    import scipy.stats

    with np.load(Path(scipy.stats.__file__).parent / "_sobol_direction_numbers.npz") as table:
        TABLE.write_bytes(pack(table["poly"], table["vinit"]))
    print(f"{TABLE}: {TABLE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
