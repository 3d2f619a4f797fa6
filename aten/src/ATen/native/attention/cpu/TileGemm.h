#pragma once
// C (+)= A B for tiles that stay in the first two levels of cache, inlined into the kernels that
// produce and use such tiles.
//
// A is read one element at a time and may have any strides; B has dense rows; rows of C are padded
// to whole vectors, because whole vectors are written.

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The number of rows that fit into registers, with two vectors each.
#if defined(CPU_CAPABILITY_AVX512)
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 4;
#endif

template <typename T>
constexpr int64_t padded_to_vectors(int64_t n) {
  return (n + Vec<T>::size - 1) / Vec<T>::size * Vec<T>::size;
}

// M rows and V vectors of C; `tail` > 0: B's row ends after this many elements of the (only)
// vector.
template <typename T, int M, int V, bool kTail>
C10_ALWAYS_INLINE void tile_block(int64_t k, const T* a, int64_t row_a, int64_t step_a, const T* b,
                                  int64_t ldb, T* c, int64_t ldc, bool add, int64_t tail) {
  constexpr int64_t W = Vec<T>::size;
  Vec<T> sum[M][V];
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < V; ++j) sum[i][j] = Vec<T>(T(0));
  }
  for (int64_t p = 0; p < k; ++p) {
    Vec<T> row[V];
#pragma GCC unroll 8
    for (int j = 0; j < V; ++j)
      row[j] = kTail ? Vec<T>::load(b + p * ldb, tail) : Vec<T>::load(b + p * ldb + j * W);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
      const Vec<T> x(a[i * row_a + p * step_a]);
#pragma GCC unroll 8
      for (int j = 0; j < V; ++j) sum[i][j] += x * row[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < V; ++j) {
      T* to = c + i * ldc + j * W;
      (add ? Vec<T>::load(to) + sum[i][j] : sum[i][j]).store(to);
    }
  }
}

template <typename T, int V, bool kTail>
void tile_panel(int64_t m, int64_t k, const T* a, int64_t row_a, int64_t step_a, const T* b,
                int64_t ldb, T* c, int64_t ldc, bool add, int64_t tail) {
  int64_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows)
    tile_block<T, kTileRows, V, kTail>(k, a + i * row_a, row_a, step_a, b, ldb, c + i * ldc, ldc,
                                       add, tail);
  if constexpr (kTileRows > 4) {
    for (; i + 4 <= m; i += 4)
      tile_block<T, 4, V, kTail>(k, a + i * row_a, row_a, step_a, b, ldb, c + i * ldc, ldc, add,
                                 tail);
  }
  for (; i < m; ++i)
    tile_block<T, 1, V, kTail>(k, a + i * row_a, row_a, step_a, b, ldb, c + i * ldc, ldc, add,
                               tail);
}

// Element (i, p) of A is a[i * row_a + p * step_a].
template <typename T>
void tile_gemm(int64_t m, int64_t n, int64_t k, const T* a, int64_t row_a, int64_t step_a,
               const T* b, int64_t ldb, T* c, int64_t ldc, bool add) {
  constexpr int64_t W = Vec<T>::size;
  int64_t j = 0;
  // Few rows have few sums: more vectors of each, which do not wait for each other.
  constexpr int kWide = 8;
  for (; m < kTileRows && j + kWide * W <= n; j += kWide * W) {
    for (int64_t i = 0; i < m; ++i)
      tile_block<T, 1, kWide, false>(k, a + i * row_a, row_a, step_a, b + j, ldb, c + i * ldc + j,
                                     ldc, add, 0);
  }
  for (; j + 2 * W <= n; j += 2 * W)
    tile_panel<T, 2, false>(m, k, a, row_a, step_a, b + j, ldb, c + j, ldc, add, 0);
  for (; j + W <= n; j += W)
    tile_panel<T, 1, false>(m, k, a, row_a, step_a, b + j, ldb, c + j, ldc, add, 0);
  if (j < n) tile_panel<T, 1, true>(m, k, a, row_a, step_a, b + j, ldb, c + j, ldc, add, n - j);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
