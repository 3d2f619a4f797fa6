#pragma once
// Wraps negative dimensions, which count from the end. All dimension arguments are checked here.

#include <cstdint>

#include <c10/macros/Macros.h>

namespace c10 {

[[noreturn]] void fail_wrap_dim(int64_t dim, int64_t rank, const char* op);

// Maps dim in [-rank, rank) to [0, rank); a 0-dimensional tensor takes 0 and -1. Throws IndexError.
inline int64_t maybe_wrap_dim(int64_t dim, int64_t rank, const char* op = nullptr) {
  int64_t n = rank > 0 ? rank : 1;
  if (C10_UNLIKELY(dim < -n || dim >= n)) fail_wrap_dim(dim, n, op);
  return dim < 0 ? dim + n : dim;
}

// The same for an existing dimension, of which a 0-dimensional tensor has none.
inline int64_t wrap_existing_dim(int64_t dim, int64_t rank, const char* op = nullptr) {
  if (C10_UNLIKELY(dim < -rank || dim >= rank)) fail_wrap_dim(dim, rank, op);
  return dim < 0 ? dim + rank : dim;
}

}  // namespace c10

namespace at {
using c10::maybe_wrap_dim;
}
