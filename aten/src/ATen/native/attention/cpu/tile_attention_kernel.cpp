// Attention of bfloat16 by matrix tiles, where the processor has them: the forward method of
// Note [Flash attention]. Scores and sums are floats; weights become bfloat16 for the product with
// the values.

#include <algorithm>
#include <cmath>

#include <ATen/native/attention/cpu/FlashChunks.h>
#include <ATen/native/attention/cpu/TileScores.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/HalfConversion.h>

namespace at::native {
namespace {

#if defined(AT_MATRIX_TILES)

using namespace tile_attention;

constexpr int64_t kFewQueries = 8;  // keys of so few are read where they are

// What one thread works in.
struct Room {
  int64_t width, rows;  // padded
  ScratchArrays memory{rows * width * 6 + kKeys * width * 4 + width * 32 + kQueries * kKeys * 6 +
                       kTileBytes + rows * 8};
  BFloat16* queries = memory.take<BFloat16>(rows * width);
  float* sum = memory.take<float>(rows * width);              // of the values
  uint32_t* keys = memory.take<uint32_t>(kKeys * width / 2);  // [keys / 16, width / 2, 16]
  // [width / 16, kKeys / 2, 16]: pairs of rows
  uint32_t* values = memory.take<uint32_t>(kKeys * width / 2);
  uint32_t* few = memory.take<uint32_t>(width * kPairs / 2);  // few queries, as keys
  float* scores = memory.take<float>(kQueries * kKeys);
  BFloat16* weights = memory.take<BFloat16>(kQueries * kKeys);
  float* tile = memory.take<float>(kTileSide * kTileSide);
  float *max = memory.take<float>(rows), *total = memory.take<float>(rows);

  Room(int64_t num_queries, int64_t row)
      : width(padded(row, kStep)), rows(padded(std::min(kChunk, num_queries), kQueries)) {
    // What is beyond a row is multiplied, and never written.
    if (row != width) std::fill(queries, queries + rows * width, BFloat16(0.0f));
  }
};

// Scores of few queries: keys are the rows of products whose columns are queries, and are read
// where they are. For widths of whole steps.
void scores_of_few(const Room& s, int64_t queries, const BFloat16* keys, int64_t row, int64_t n) {
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

// A row of scores times `scale`, and the mask; -inf behind the keys that are seen. Their maximum.
float finish_scores(float* row, int64_t seen, int64_t columns, float scale, const float* mask,
                    int64_t step) {
  F max(-kInfinity);
  for (int64_t j = 0; j < columns; j += F::size) {
    const F v = scores_from(row, j, seen, scale, mask, step);
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
            const Room& s) {
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
    pack_pairs_of_rows(v + k0 * a.value.row, a.value.row, block, end, a.width, width, s.values,
                       kKeys / 2 * kPairs);
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

void tile_attention_kernel(const FlashArgs& a) {
  for_each_chunk(a, kGrainSize * 8, [&] {
    return [&a, room = Room(a.queries, a.width), tiles = MatrixTiles()](
               int64_t batch, int64_t head, int64_t first, int64_t last) {
      attend(a, batch, head, first, last, room);
    };
  });
}

#else

void tile_attention_kernel(const FlashArgs&) {
  TORCH_INTERNAL_ASSERT(false, "this build has no kernel of matrix tiles");
}

#endif

}  // namespace

REGISTER_DISPATCH(tile_attention_stub, &tile_attention_kernel)

}  // namespace at::native
