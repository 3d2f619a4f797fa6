#pragma once
// Products of matrices of bfloat16 in matrix tiles, and how their right operands are packed.
//
// Matrices of pairs are made of matrix tiles: a word is the pair of elements 2p and 2p + 1 of the
// dimension that is summed over.

#include <ATen/native/common/cpu/MatrixTiles.h>

#if defined(AT_MATRIX_TILES)

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/TransposeStub.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace matrix_tiles {

using c10::BFloat16;

constexpr int64_t kPairs = kTileSide;      // of bfloat16, in a row of a matrix tile
constexpr int64_t kStep = 2 * kPairs;      // bfloat16 in such a row
constexpr int64_t kPanel = 2 * kTileSide;  // rows of two matrix tiles

inline int64_t padded(int64_t n, int64_t to) { return divup(n, to) * to; }

// C (+)= A B for 16 or 32 rows of A, of `steps` times 32 elements; B is made of matrix tiles, of
// which those of neighbouring columns are `column_b` words apart. `columns` is even.
template <bool kTwo>
void multiply(const BFloat16* a, int64_t row_a, const uint32_t* b, int64_t column_b, int64_t steps,
              int64_t columns, float* c, int64_t row_c, bool add) {
  using M = MatrixTiles;
  const int64_t bytes_a = row_a * 2, bytes_c = row_c * 4;
  const BFloat16* second_a = a + kTileSide * row_a;
  for (int64_t j = 0; j < columns; j += 2, b += 2 * column_b, c += 2 * kTileSide) {
    float* second_c = c + kTileSide * row_c;
    if (add) {
      M::load<0>(c, bytes_c), M::load<1>(c + kTileSide, bytes_c);
      if (kTwo) M::load<2>(second_c, bytes_c), M::load<3>(second_c + kTileSide, bytes_c);
    } else {
      M::zero<0>(), M::zero<1>();
      if (kTwo) M::zero<2>(), M::zero<3>();
    }
    for (int64_t t = 0; t < steps; ++t) {
      const uint32_t* from = b + t * kPairs * kTileSide;
      M::load<6>(from, 64), M::load<7>(from + column_b, 64);
      M::load<4>(a + t * kStep, bytes_a);
      M::multiply_add<0, 4, 6>(), M::multiply_add<1, 4, 7>();
      if (kTwo) {
        M::load<5>(second_a + t * kStep, bytes_a);
        M::multiply_add<2, 5, 6>(), M::multiply_add<3, 5, 7>();
      }
    }
    M::store<0>(c, bytes_c), M::store<1>(c + kTileSide, bytes_c);
    if (kTwo) M::store<2>(second_c, bytes_c), M::store<3>(second_c + kTileSide, bytes_c);
  }
}
inline void multiply(bool two, const BFloat16* a, int64_t row_a, const uint32_t* b,
                     int64_t column_b, int64_t steps, int64_t columns, float* c, int64_t row_c,
                     bool add) {
  if (two) multiply<true>(a, row_a, b, column_b, steps, columns, c, row_c, add);
  else multiply<false>(a, row_a, b, column_b, steps, columns, c, row_c, add);
}

// n rows as matrix tiles of 16 of them, pairs along the width. Rows to `end` are 0, and so is what
// is beyond the width.
inline void pack_pairs(const BFloat16* from, int64_t row, int64_t n, int64_t end, int64_t width,
                       int64_t padded_width, uint32_t* to) {
  const int64_t words = padded_width / 2 * kPairs;
  for (int64_t j = 0; j < end; j += kTileSide, to += words) {
    const int64_t rows = std::clamp<int64_t>(n - j, 0, kTileSide);
    const BFloat16* lines = from + j * row;
    std::fill(to + (rows < kTileSide ? 0 : width / 2 * kPairs), to + words, 0);
    if (rows == 0) continue;
    transpose_copy_stub.cpu()(reinterpret_cast<char*>(to), 64, reinterpret_cast<const char*>(lines),
                              row * 2, rows, width / 2, 4);
    for (int64_t i = 0; i < rows && width % 2 != 0; ++i)
      to[width / 2 * kPairs + i] = lines[i * row + width - 1].x;
  }
}

// n rows as matrix tiles of 16 columns, which are `column` words apart, pairs of rows; rows to
// `end` are 0, and so is what is beyond the width. `end` and the padded width are whole steps.
inline void pack_pairs_of_rows(const BFloat16* from, int64_t row, int64_t n, int64_t end,
                               int64_t width, int64_t padded_width, uint32_t* to, int64_t column) {
  alignas(64) static constexpr uint16_t kFirst[] = {0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,
                                                    37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
                                                    11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i first_pairs = _mm512_load_si512(kFirst),
                second_pairs = _mm512_add_epi16(first_pairs, _mm512_set1_epi16(kPairs));
  // Two matrix tiles at a time: whole cache lines are read.
  for (int64_t i = 0; i < end; i += kStep, to += kPairs * kTileSide) {
    const int64_t rows = std::min(n - i, kStep);
    const BFloat16* line = from + i * row;
    for (int64_t e = 0; e < padded_width; e += kStep, line += kStep) {
      const int64_t count = std::clamp<int64_t>(width - e, 0, kStep);
      const auto lanes = static_cast<__mmask32>((uint64_t{1} << count) - 1);
      uint32_t* tile = to + e / kTileSide * column;
      for (int64_t r = 0; r < kStep; r += 2, tile += kPairs) {
        const __m512i low = _mm512_maskz_loadu_epi16(r < rows ? lanes : 0, line + r * row),
                      high =
                          _mm512_maskz_loadu_epi16(r + 1 < rows ? lanes : 0, line + (r + 1) * row);
        _mm512_storeu_si512(tile, _mm512_permutex2var_epi16(low, first_pairs, high));
        _mm512_storeu_si512(tile + column, _mm512_permutex2var_epi16(low, second_pairs, high));
      }
    }
  }
}

}  // namespace matrix_tiles
}  // namespace CPU_CAPABILITY
}  // namespace at::native
#endif
