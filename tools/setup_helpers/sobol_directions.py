"""Writes the direction numbers of Sobol sequences as the build embeds them, from the table that SciPy has.

    python tools/setup_helpers/sobol_directions.py OUTPUT

The table is new-joe-kuo-6.21201 of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
projections" (2008). Each dimension but the first has a primitive polynomial and as many odd starting values as its degree.
The file holds the bits that are not known beforehand, most significant first: of the polynomial what is between the first and the
last coefficient, of the k-th value the k - 1 bits above the last. Polynomials ascend, so the degree of a dimension is known too.
"""

import argparse
import importlib.util
from pathlib import Path

import numpy as np


def pack(polynomials, values):
    """The bits of all dimensions but the first, eight a byte."""
    bits = []
    for polynomial, starts in zip(map(int, polynomials[1:]), values[1:]):
        degree = polynomial.bit_length() - 1
        bits += [(polynomial >> k) & 1 for k in range(degree - 1, 0, -1)]
        for k, start in enumerate(map(int, starts[:degree])):
            bits += [(start >> b) & 1 for b in range(k, 0, -1)]
    return np.packbits(np.array(bits, dtype=np.uint8)).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the file to write")
    output = parser.parse_args().output
    scipy = importlib.util.find_spec("scipy")
    if scipy is None or not scipy.submodule_search_locations:
        parser.exit(
            1, "error: the build takes the direction numbers of Sobol sequences from SciPy, which is missing: pip install scipy\n"
        )
    with np.load(Path(scipy.submodule_search_locations[0]) / "stats" / "_sobol_direction_numbers.npz") as table:
        output.write_bytes(pack(table["poly"], table["vinit"]))


if __name__ == "__main__":
    main()
