#pragma once
// Polynomials over neighbouring intervals, as tools/fit writes them.

#include <c10/macros/Macros.h>

// A table that C10_HOST_DEVICE functions index. CUDA's device code has a copy of its own, and no
// type wider than double.
#ifdef __CUDA_ARCH__
#define AT_TABLE __device__ constexpr
#else
#define AT_TABLE constexpr
#endif

namespace at::native {
inline namespace CPU_CAPABILITY {

#ifdef __CUDA_ARCH__
using WideTerm = double;
#else
using WideTerm = long double;
#endif

struct Piece {
  double middle, inverse_half;  // of the interval
  int terms;
  double c[22];  // of the powers of u = (x - middle) / half, from the lowest on
};

C10_HOST_DEVICE inline double evaluate(const Piece& piece, double x) {
  const double u = (x - piece.middle) * piece.inverse_half;
  double sum = piece.c[piece.terms - 1];
  for (int k = piece.terms - 2; k >= 0; --k) sum = sum * u + piece.c[k];
  return sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
