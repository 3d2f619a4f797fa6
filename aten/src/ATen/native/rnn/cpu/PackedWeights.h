#pragma once
// Products of rows with a matrix that is packed once and multiplied at every step, in float.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A matrix of k rows and n columns in panels of a few registers' columns, row by row: a tile of the
// product reads a panel sequentially and keeps its sums in registers.
class PackedWeights {
 public:
  // Columns are packed in blocks of so many.
  static constexpr int64_t kBlockColumns = 16;

  // pack(column, to, step) writes the k rows of the block that begins at this column, `step` apart.
  template <typename Pack>
  PackedWeights(int64_t k, int64_t n, const Pack& pack)
      : k_(k), packed_(divup(n, kColumns) * k * kColumns) {
    parallel_for(0, divup(n, kBlockColumns), divup(kElementsOfThread, k * kBlockColumns + 1),
                 [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t column = b * kBlockColumns, in_panel = column % kColumns;
        pack(column, packed_.get() + (column - in_panel) * k + in_panel, kColumns);
      }
    });
  }

  // c = a * columns [first, last) of this, or c += that, for `rows` rows, on this thread. `first`
  // is a multiple of 64.
  void multiply(int64_t first, int64_t last, int64_t rows, const float* a, int64_t a_step,
                bool accumulate, float* c, int64_t c_step) const {
    for (int64_t column = first; column < last; column += kColumns, c += kColumns) {
      // A part of a panel stays in the first cache for all rows.
      for (int64_t k = 0; k < k_; k += kRowsInCache) {
        const Tile tile{packed_.get() + column * k_ + k * kColumns,
                        std::min(kRowsInCache, k_ - k),
                        std::min(kColumns, last - column),
                        a + k,
                        a_step,
                        accumulate || k > 0,
                        c,
                        c_step};
        // The rows of tiles differ by one at most: small tiles do not fill the pipelines.
        for (int64_t row = 0, tiles = divup(rows, kRows), together; tiles > 0; --tiles) {
          together = divup(rows - row, tiles);
          with_constant<1, kRows>(
              together, [&]<int M>(std::integral_constant<int, M>) { compute<M>(tile, row); });
          row += together;
        }
      }
    }
  }

 private:
  using V = Vec<float>;
  static constexpr int64_t W = V::size;
  // 12 of 16 registers are sums, or 24 of 32.
  static constexpr int kVectors = W == 8 ? 2 : 4, kRows = W == 4 ? 3 : 6;
  static constexpr int64_t kColumns = kVectors * W, kRowsInCache = 256, kElementsOfThread = 8192;
  static_assert(kColumns % kBlockColumns == 0 && 64 % kColumns == 0);

  struct Tile {
    const float* panel;
    int64_t k, columns;
    const float* a;
    int64_t a_step;
    bool accumulate;
    float* c;
    int64_t c_step;
  };

  template <int M>
  static C10_ALWAYS_INLINE void compute(const Tile& t, int64_t row) {
    V sums[M][kVectors];
#pragma GCC unroll 6
    for (int m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[m][v] = V(0.0f);
    }
    // The lines of the result arrive while the products are computed.
    for (int m = 0; m < M; ++m) {
      for (int64_t j = 0; j < kColumns; j += kBlockColumns)
        __builtin_prefetch(t.c + (row + m) * t.c_step + j, 1);
    }
    const float* a = t.a + row * t.a_step;
#pragma GCC unroll 4
    for (int64_t k = 0; k < t.k; ++k) {
      V b[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) b[v] = V::load(t.panel + k * kColumns + v * W);
#pragma GCC unroll 6
      for (int m = 0; m < M; ++m) {
        const V x(a[m * t.a_step + k]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[m][v] += x * b[v];
      }
    }
#pragma GCC unroll 6
    for (int m = 0; m < M; ++m) {
      float* to = t.c + (row + m) * t.c_step;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v, to += W) {
        const int64_t count = std::min(W, t.columns - v * W);
        if (count == W) {
          (t.accumulate ? V::load(to) + sums[m][v] : sums[m][v]).store(to);
        } else if (count > 0) {
          (t.accumulate ? V::load(to, count) + sums[m][v] : sums[m][v]).store(to, count);
        }
      }
    }
  }

  int64_t k_;
  Scratch<float> packed_;
};

// The block of the transpose of a matrix that begins at its row `first`: `count` rows of k numbers
// become columns, followed by zeros.
inline void pack_rows(const float* matrix, int64_t k, int64_t first, int64_t count, float* to,
                      int64_t step) {
  constexpr int64_t kItem = sizeof(float), kBlock = PackedWeights::kBlockColumns;
  if (count < kBlock) {
    for (int64_t r = 0; r < k; ++r) std::fill_n(to + r * step, kBlock, 0.0f);
  }
  if (count <= 0) return;
  transpose_copy_stub(kCPU, reinterpret_cast<char*>(to), step * kItem,
                      reinterpret_cast<const char*>(matrix + first * k), k * kItem, count, k,
                      kItem);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
