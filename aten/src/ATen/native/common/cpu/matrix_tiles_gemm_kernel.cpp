// Products of bfloat16 by matrix tiles, where the processor has them. See Note [Which GEMM].
//
// The lines of the left operand are its rows, those of the right one its columns. Right lines are
// packed in blocks, with which all panels of left lines are multiplied while they are in the
// second-level cache; sums are floats, and rounded once.

#include <algorithm>

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/MatrixTilesStub.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/TileProducts.h>

namespace at::native {
namespace {

#if defined(AT_MATRIX_TILES)

using namespace matrix_tiles;

// Of a block of the right operand, which fits the second-level cache.
constexpr int64_t kInner = 2048, kColumns = 256;
constexpr int64_t kMaxRows = 2048;  // whose sums are kept, where the inner dimension is longer

// `count` lines of elements that are summed up with those of other lines.
struct Lines {
  const BFloat16* data;
  int64_t count, ld;
  bool dense;  // or else neighbouring elements belong to neighbouring lines

  const BFloat16* at(int64_t line, int64_t p) const {
    return dense ? data + line * ld + p : data + p * ld + line;
  }
};

// The left lines `first` to first + rows from p on, k elements of each, 16 or 32 of them; as they
// are, or copied.
const BFloat16* panel(const Lines& left, int64_t first, int64_t rows, int64_t p, int64_t k,
                      BFloat16* copy, int64_t& row) {
  const BFloat16* from = left.at(first, p);
  const int64_t width = padded(k, kStep);
  if (left.dense && rows % kTileSide == 0 && k == width) {
    row = left.ld;
    return from;
  }
  row = width;
  if (left.dense) {
    for (int64_t r = 0; r < rows; ++r)
      std::copy(from + r * left.ld, from + r * left.ld + k, copy + r * width);
  } else {
    transpose_copy_stub.cpu()(reinterpret_cast<char*>(copy), width * 2,
                              reinterpret_cast<const char*>(from), left.ld * 2, k, rows, 2);
  }
  for (int64_t r = 0; r < rows; ++r)
    std::fill(copy + r * width + k, copy + (r + 1) * width, BFloat16(0.0f));
  return copy;
}

void pack(const Lines& right, int64_t first, int64_t n, int64_t p, int64_t k, uint32_t* to) {
  const int64_t width = padded(k, kStep), end = padded(n, kPanel);
  if (right.dense) pack_pairs(right.at(first, p), right.ld, n, end, k, width, to);
  else pack_pairs_of_rows(right.at(first, p), right.ld, k, width, n, end, to, width / 2 * kPairs);
}

// Where sums go: c = alpha * sum + beta * c.
struct Result {
  BFloat16* c;
  int64_t ldc;
  bool is_transposed;  // left lines are columns of C
  float alpha, beta;

  void write_line(const float* sums, int64_t n, BFloat16* to) const {
    using F = Vec<float>;
    int64_t j = 0;
    for (; j + kTileSide <= n; j += kTileSide) {
      F v = F::load(sums + j);
      if (alpha != 1) v = v * F(alpha);
      if (beta != 0) v += F(beta) * bfloat16_vectors::load(to + j);
      store_nearest(v, to + j);
    }
    for (; j < n; ++j) {
      const float v = sums[j] * alpha;
      to[j] = static_cast<BFloat16>(beta == 0 ? v : v + beta * static_cast<float>(to[j]));
    }
  }

  // `transposed` has room for as many floats as `sums`.
  void write(const float* sums, int64_t row, int64_t left, int64_t rows, int64_t right, int64_t n,
             float* transposed) const {
    if (!is_transposed) {
      for (int64_t r = 0; r < rows; ++r)
        write_line(sums + r * row, n, c + (left + r) * ldc + right);
      return;
    }
    transpose_copy_stub.cpu()(reinterpret_cast<char*>(transposed), kPanel * 4,
                              reinterpret_cast<const char*>(sums), row * 4, rows, n, 4);
    for (int64_t j = 0; j < n; ++j)
      write_line(transposed + j * kPanel, rows, c + (right + j) * ldc + left);
  }
};

// What one thread works in, for blocks of so many left and right lines.
struct Room {
  int64_t inner, columns, sum_rows;
  ScratchArrays memory{columns * inner * 2 + (sum_rows + kPanel) * columns * 4 +
                       kPanel * inner * 2};
  uint32_t* packed = memory.take<uint32_t>(columns * inner / 2);
  float *sums = memory.take<float>(sum_rows * columns),
        *transposed = memory.take<float>(kPanel * columns);
  BFloat16* copy = memory.take<BFloat16>(kPanel * inner);

  Room(int64_t inner, int64_t sum_rows, int64_t columns)
      : inner(inner), columns(columns), sum_rows(sum_rows) {}
};

// All products of left lines `first` to `last` with n right lines.
void multiply_block(const Lines& left, const Lines& right, int64_t k, int64_t first, int64_t last,
                    int64_t j, int64_t n, const Result& result, const Room& room) {
  const int64_t end = padded(n, kPanel);
  for (int64_t p = 0; p < k; p += room.inner) {
    const int64_t part = std::min(room.inner, k - p), width = padded(part, kStep);
    const int64_t column = width / 2 * kPairs, steps = width / kStep;
    pack(right, j, n, p, part, room.packed);
    for (int64_t i = first; i < last; i += kPanel) {
      const int64_t rows = std::min(kPanel, last - i);
      const bool two = rows > kTileSide;
      int64_t row;
      const BFloat16* lines = panel(left, i, rows, p, part, room.copy, row);
      if (part < k) {
        float* sums = room.sums + (i - first) * end;
        multiply(two, lines, row, room.packed, column, steps, end / kTileSide, sums, end, p > 0);
        if (p + part == k) result.write(sums, end, i, rows, j, n, room.transposed);
        continue;
      }
      // Sums that are done are written at once, from the first-level cache.
      for (int64_t e = 0; e < end; e += kPanel) {
        multiply(two, lines, row, room.packed + e / kTileSide * column, column, steps, 2, room.sums,
                 kPanel, false);
        result.write(room.sums, kPanel, i, rows, j + e, std::min(kPanel, n - e), room.transposed);
      }
    }
  }
}

void matrix_tiles_gemm_kernel(const GemmArgs& g) {
  const Lines a{static_cast<const BFloat16*>(g.a), g.m, g.lda, !g.trans_a},
      b{static_cast<const BFloat16*>(g.b), g.n, g.ldb, g.trans_b};
  // The lines of B are left where to pack those of A, and to turn the result, is less than to pack
  // them.
  const bool is_transposed = g.trans_b && g.m * (g.k + 2 * g.n) < g.n * g.k;
  const Lines &left = is_transposed ? b : a, &right = is_transposed ? a : b;
  const Result result{static_cast<BFloat16*>(g.c), g.ldc, is_transposed,
                      static_cast<float>(g.alpha.real()), static_cast<float>(g.beta.real())};
  const int64_t threads = in_parallel_region() ? 1 : get_num_threads();
  int64_t num_columns = divup(right.count, kColumns);
  // Each thread gets as many of a few blocks.
  if (num_columns < 4 * threads) num_columns = padded(num_columns, threads);
  const int64_t columns = padded(divup(right.count, num_columns), kPanel);
  num_columns = divup(right.count, columns);
  const int64_t inner = padded(divup(g.k, divup(g.k, kInner)), kStep);
  const bool is_whole = g.k <= inner;  // sums of a panel are done when the next one begins
  const int64_t max_rows = is_whole ? left.count : kMaxRows;
  const int64_t num_rows = std::max(divup(left.count, max_rows), divup(threads, num_columns));
  const int64_t rows = padded(divup(left.count, num_rows), kPanel);
  const int64_t blocks_of_rows = divup(left.count, rows), work = rows * columns * g.k;
  parallel_for(0, blocks_of_rows * num_columns, std::max<int64_t>(1, kGrainSize * 64 / work),
               [&](int64_t begin, int64_t end) {
    const MatrixTiles tiles;
    const Room room(inner, is_whole ? kPanel : rows, columns);
    for (int64_t u = begin; u < end; ++u) {
      const int64_t i = u % blocks_of_rows * rows, j = u / blocks_of_rows * columns;
      multiply_block(left, right, g.k, i, std::min(left.count, i + rows), j,
                     std::min(columns, right.count - j), result, room);
    }
  });
}

#else

void matrix_tiles_gemm_kernel(const GemmArgs&) {
  TORCH_INTERNAL_ASSERT(false, "this build has no kernel of matrix tiles");
}

#endif

}  // namespace

REGISTER_DISPATCH(has_matrix_tiles_stub, &has_matrix_tiles)
REGISTER_DISPATCH(matrix_tiles_gemm_stub, &matrix_tiles_gemm_kernel)

}  // namespace at::native
