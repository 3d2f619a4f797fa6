#pragma once
// Polynomials over neighbouring intervals, as tools/fit writes them.

namespace at::native {
inline namespace CPU_CAPABILITY {

struct Piece {
  double middle, inverse_half;  // of the interval
  int terms;
  double c[22];  // of the powers of u = (x - middle) / half, from the lowest on
};

inline double evaluate(const Piece& piece, double x) {
  const double u = (x - piece.middle) * piece.inverse_half;
  double sum = piece.c[piece.terms - 1];
  for (int k = piece.terms - 2; k >= 0; --k) sum = sum * u + piece.c[k];
  return sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
