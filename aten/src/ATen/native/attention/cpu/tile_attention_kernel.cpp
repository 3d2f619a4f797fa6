// Attention of bfloat16 by matrix tiles, where the processor has them: the forward method of
// Note [Flash attention]. Scores and sums are floats; weights become bfloat16 for the product with
// the values.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <ATen/native/attention/cpu/FlashChunks.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/MatrixTiles.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
namespace {

#if defined(AT_MATRIX_TILES)

using c10::BFloat16;
using F = Vec<float>;

constexpr int64_t kKeys = 256;         // of a block
constexpr int64_t kQueries = 32;       // rows of a tile of scores: two rows of matrix tiles
constexpr int64_t kFewQueries = 8;     // keys of so few are read where they are
constexpr int64_t kPairs = kTileSide;  // of bfloat16, in a row of a matrix tile
constexpr int64_t kStep = 2 * kPairs;  // bfloat16 in such a row
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int64_t padded(int64_t n, int64_t to) { return divup(n, to) * to; }

// The memory that one thread works in. Matrices of pairs are made of matrix tiles: a word is the
// pair of elements 2p and 2p + 1 of the dimension that is summed over.
struct Scratch {
  int64_t width;      // padded to whole steps
  BFloat16* queries;  // [kChunk, width]
  float* sum;         // [kChunk, width], of the values
  uint32_t* keys;     // [kKeys / 16, width / 2, 16]: pairs along the width
  uint32_t* values;   // [width / 16, kKeys / 2, 16]: pairs of rows
  uint32_t* few;      // [width / 2, 16]: few queries, as keys
  float* scores;      // [kQueries, kKeys]
  BFloat16* weights;  // [kQueries, kKeys]
  float* tile;        // [16, 16]
  float *max, *total;

  Scratch(int64_t num_queries, int64_t row) : width(padded(row, kStep)) {
    const int64_t rows = padded(std::min(kChunk, num_queries), kQueries);
    const int64_t bytes = rows * width * 6 + kKeys * width * 4 + width * 32 + kQueries * kKeys * 6 +
                          kTileBytes + rows * 8;
    memory_ = static_cast<char*>(::operator new(static_cast<size_t>(bytes), kAlignment));
    char* next = memory_;
    take(next, queries, rows * width), take(next, sum, rows * width);
    take(next, keys, kKeys * width / 2), take(next, values, kKeys * width / 2);
    take(next, few, width * kPairs / 2), take(next, scores, kQueries * kKeys);
    take(next, weights, kQueries * kKeys), take(next, tile, kTileSide * kTileSide);
    take(next, max, rows), take(next, total, rows);
    // What is beyond a row is multiplied, and never written.
    if (row != width) std::fill(memory_, memory_ + bytes, char(0));
  }
  ~Scratch() { ::operator delete(memory_, kAlignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  static constexpr std::align_val_t kAlignment{64};
  template <typename T>
  static void take(char*& next, T*& to, int64_t n) {
    to = reinterpret_cast<T*>(next);
    next += n * static_cast<int64_t>(sizeof(T));
  }
  char* memory_;
};

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
void multiply(bool two, const BFloat16* a, int64_t row_a, const uint32_t* b, int64_t column_b,
              int64_t steps, int64_t columns, float* c, int64_t row_c, bool add) {
  if (two) multiply<true>(a, row_a, b, column_b, steps, columns, c, row_c, add);
  else multiply<false>(a, row_a, b, column_b, steps, columns, c, row_c, add);
}

// n rows as matrix tiles of 16 of them, pairs along the width. Rows to `end` are 0; what is beyond
// an even width is never written.
void pack_pairs(const BFloat16* from, int64_t row, int64_t n, int64_t end, int64_t width,
                int64_t padded_width, uint32_t* to) {
  for (int64_t j = 0; j < end; j += kTileSide, to += padded_width / 2 * kPairs) {
    const int64_t rows = std::clamp<int64_t>(n - j, 0, kTileSide);
    if (rows < kTileSide) std::fill(to, to + padded_width / 2 * kPairs, 0);
    if (rows > 0) {
      transpose_copy_stub.cpu()(reinterpret_cast<char*>(to), 64,
                                reinterpret_cast<const char*>(from + j * row), row * 2, rows,
                                width / 2, 4);
    }
  }
}

// n rows as matrix tiles of 16 columns, pairs of rows; rows to `end` are 0. A matrix tile is
// written at a time: its rows stay in the first-level cache for the tiles beside it.
void pack_pairs_of_rows(const BFloat16* from, int64_t row, int64_t n, int64_t end, int64_t width,
                        int64_t padded_width, uint32_t* to) {
  for (int64_t first = 0; first < end; first += 2 * kTileSide, to += kPairs * kTileSide) {
    const int64_t rows = std::min(n - first, 2 * kTileSide);
    const BFloat16* line = from + first * row;
    for (int64_t e = 0; e < padded_width; e += kTileSide, line += kTileSide) {
      const auto lanes =
          static_cast<__mmask16>((1u << std::clamp<int64_t>(width - e, 0, kTileSide)) - 1);
      const auto words = [&](int64_t i) {
        return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, line + i * row));
      };
      uint32_t* tile = to + e * (kKeys / 2);
      const auto store = [&](int64_t p, __m512i low, __m512i high) {
        _mm512_storeu_si512(tile + p * kPairs, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
      };
      int64_t p = 0;
      for (; p < rows / 2; ++p) store(p, words(2 * p), words(2 * p + 1));
      const __m512i zero = _mm512_setzero_si512();
      if (rows % 2 != 0) store(p++, words(rows - 1), zero);
      for (; p < kTileSide; ++p) store(p, zero, zero);
    }
  }
}

// Scores of few queries: keys are the rows of products whose columns are queries, and are read
// where they are. For widths of whole steps.
void scores_of_few(const Scratch& s, int64_t queries, const BFloat16* keys, int64_t row,
                   int64_t n) {
  using M = MatrixTiles;
  const int64_t steps = s.width / kStep;
  const auto write = [&](int64_t j) {
    for (int64_t q = 0; q < queries; ++q) {
      for (int64_t i = 0; i < kTileSide; ++i)
        s.scores[q * kKeys + j + i] = s.tile[i * kTileSide + q];
    }
  };
  int64_t j = 0;
  // Three products at a time, which do not wait for each other.
  for (; j + 3 * kTileSide <= n; j += 3 * kTileSide) {
    const BFloat16* from = keys + j * row;
    M::zero<0>(), M::zero<1>(), M::zero<2>();
    for (int64_t t = 0; t < steps; ++t, from += kStep) {
      M::load<3>(s.few + t * kPairs * kTileSide, 64);
      M::load<4>(from, row * 2);
      M::load<5>(from + kTileSide * row, row * 2);
      M::load<6>(from + 2 * kTileSide * row, row * 2);
      M::multiply_add<0, 4, 3>(), M::multiply_add<1, 5, 3>(), M::multiply_add<2, 6, 3>();
    }
    M::store<0>(s.tile, 64), write(j);
    M::store<1>(s.tile, 64), write(j + kTileSide);
    M::store<2>(s.tile, 64), write(j + 2 * kTileSide);
  }
  for (; j < n; j += kTileSide) {
    const int64_t rows = std::min(kTileSide, n - j);
    const BFloat16* from = keys + j * row;
    int64_t step = row;
    if (rows < kTileSide) {  // nothing beyond the last row may be read
      auto* copy = reinterpret_cast<BFloat16*>(s.keys);
      for (int64_t i = 0; i < rows; ++i)
        std::copy(from + i * row, from + i * row + s.width, copy + i * s.width);
      from = copy, step = s.width;
    }
    M::zero<0>();
    for (int64_t t = 0; t < steps; ++t) {
      M::load<3>(s.few + t * kPairs * kTileSide, 64);
      M::load<4>(from + t * kStep, step * 2);
      M::multiply_add<0, 4, 3>();
    }
    M::store<0>(s.tile, 64), write(j);
  }
}

// A mask's elements from j on, added to scores.
F mask_lanes(const float* mask, int64_t step, int64_t j, int64_t n) {
  if (step == 1) return F::load(mask + j, std::min(n, F::size - 1));
  F v(0.0f);
  for (int64_t i = 0; i < n; ++i) v.v[i] = mask[(j + i) * step];
  return v;
}

// A row of scores times `scale`, and the mask; -inf behind the keys that are seen. Their maximum.
float finish_scores(float* row, int64_t seen, int64_t columns, float scale, const float* mask,
                    int64_t step) {
  F max(-kInfinity);
  for (int64_t j = 0; j < columns; j += F::size) {
    F v = F::load(row + j) * F(scale);
    const int64_t n = std::clamp<int64_t>(seen - j, 0, F::size);
    if (mask && n == F::size && step == 1) v += F::load(mask + j);
    else if (mask) v += mask_lanes(mask, step, j, n);
    if (n < F::size) v = first_lanes(v, n, -kInfinity);
    v.store(row + j);
    max = where((v > max) | (v != v), v, max);
  }
  return max_lanes(max);
}

// exp(row - shift) as bfloat16; returns the sum.
float weigh(const float* row, int64_t columns, float shift, BFloat16* to) {
  F sum(0.0f);
  for (int64_t j = 0; j < columns; j += F::size) {
    const F e = exp_up_to_zero(F::load(row + j) - F(shift));
    store_nearest(e, to + j);
    sum += e;
  }
  return sum_lanes(sum);
}

// What has been summed up of a query shrinks when a larger score is found.
void shrink(float* sum, int64_t width, float& total, float by) {
  total *= by;
  for (int64_t e = 0; e < width; ++e) sum[e] *= by;
}

void attend(const FlashArgs& a, int64_t batch, int64_t head, int64_t first, int64_t last,
            const Scratch& s) {
  const int64_t n = last - first, width = s.width, steps = width / kStep;
  const BFloat16 *q = at_head<BFloat16>(a.query, batch, head) + first * a.query.row,
                 *k = at_head<BFloat16>(a.key, batch, head),
                 *v = at_head<BFloat16>(a.value, batch, head);
  const float* mask = a.mask.data ? at_head<float>(a.mask, batch, head) : nullptr;
  float* lse = static_cast<float*>(a.logsumexp) + (batch * a.heads + head) * a.queries + first;
  const float scale = static_cast<float>(a.scale);
  const bool is_few = n <= kFewQueries && a.width % kStep == 0;
  if (is_few) {
    pack_pairs(q, a.query.row, n, kTileSide, a.width, width, s.few);
  } else {
    for (int64_t i = 0; i < n; ++i)
      std::copy(q + i * a.query.row, q + i * a.query.row + a.width, s.queries + i * width);
  }
  std::fill(s.sum, s.sum + padded(n, kTileSide) * width, 0.0f);
  std::fill(s.max, s.max + n, -kInfinity);
  std::fill(s.total, s.total + n, 0.0f);

  const int64_t keys = a.is_causal ? std::min(a.keys, last) : a.keys;
  for (int64_t k0 = 0; k0 < keys; k0 += kKeys) {
    const int64_t block = std::min(kKeys, keys - k0), end = padded(block, kStep);
    const BFloat16* rows_k = k + k0 * a.key.row;
    if (!is_few) pack_pairs(rows_k, a.key.row, block, end, a.width, width, s.keys);
    pack_pairs_of_rows(v + k0 * a.value.row, a.value.row, block, end, a.width, width, s.values);
    for (int64_t i0 = 0; i0 < n; i0 += kQueries) {
      const int64_t rows = std::min(kQueries, n - i0);
      const int64_t seen_by_last = a.is_causal ? std::min(block, first + i0 + rows - k0) : block;
      if (seen_by_last <= 0) continue;
      const int64_t columns = padded(seen_by_last, kStep);
      const bool two = rows > kTileSide;
      if (is_few) {
        scores_of_few(s, n, rows_k, a.key.row, block);
      } else {
        multiply(two, s.queries + i0 * width, width, s.keys, width / 2 * kPairs, steps,
                 columns / kTileSide, s.scores, kKeys, false);
      }
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t i = i0 + r, row = first + i;
        const int64_t seen =
            a.is_causal ? std::clamp<int64_t>(row + 1 - k0, 0, seen_by_last) : block;
        float *line = s.scores + r * kKeys, *sum = s.sum + i * width;
        BFloat16* weights = s.weights + r * kKeys;
        const float* masked = mask ? mask + row * a.mask.row + k0 * a.mask_column : nullptr;
        float top = finish_scores(line, seen, columns, scale, masked, a.mask_column);
        top = top > s.max[i] || top != top ? top : s.max[i];
        if (top == -kInfinity) {
          std::fill(weights, weights + columns, BFloat16(0.0f));
          continue;
        }
        const float added = weigh(line, columns, top, weights);
        if (top != s.max[i]) {
          shrink(sum, width, s.total[i], std::exp(s.max[i] - top));
          s.max[i] = top;
        }
        s.total[i] += added;
      }
      multiply(two, s.weights, kKeys, s.values, kKeys / 2 * kPairs, columns / kStep,
               width / kTileSide, s.sum + i0 * width, width, true);
    }
  }
  BFloat16* out = at_head<BFloat16>(a.out, batch, head) + first * a.out.row;
  for (int64_t i = 0; i < n; ++i, out += a.out.row) {
    // A row that sees no keys is zero.
    const float by = s.total[i] == 0 ? 0.0f : 1 / s.total[i];
    float* sum = s.sum + i * width;
    for (int64_t e = 0; e < a.width; ++e) sum[e] *= by;
    narrow(sum, out, a.width);
    lse[i] = s.max[i] + std::log(s.total[i]);
  }
}

// Keys are packed in pairs of elements.
bool takes_tile_attention(const FlashArgs& a) { return a.width % 2 == 0 && has_matrix_tiles(); }

void tile_attention_kernel(const FlashArgs& a) {
  for_each_chunk(a, kGrainSize * 8, [&] {
    return [&a, scratch = Scratch(a.queries, a.width), tiles = MatrixTiles()](
               int64_t batch, int64_t head, int64_t first, int64_t last) {
      attend(a, batch, head, first, last, scratch);
    };
  });
}

#else

bool takes_tile_attention(const FlashArgs&) { return false; }
void tile_attention_kernel(const FlashArgs&) {
  TORCH_INTERNAL_ASSERT(false, "this build has no kernel of matrix tiles");
}

#endif

}  // namespace

REGISTER_DISPATCH(tile_attention_stub, &tile_attention_kernel)
REGISTER_DISPATCH(takes_tile_attention_stub, &takes_tile_attention)

}  // namespace at::native
