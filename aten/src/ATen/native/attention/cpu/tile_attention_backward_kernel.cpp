// Gradients of attention of bfloat16 by matrix tiles: the backward method of
// Note [Flash attention]. Weights and the gradients of scores are recomputed in float, and become
// bfloat16 for the products that sum them up.
//
// Sums over queries are kept transposed: a weight that two neighbouring queries have for a key is
// then a pair of the right operand, as the rows of scores have it, and no weight is moved.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/attention/cpu/FlashChunks.h>
#include <ATen/native/attention/cpu/TileScores.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/RowDots.h>

namespace at::native {
namespace {

#if defined(AT_MATRIX_TILES)

using namespace tile_attention;

// What one thread works in. A chunk of queries is summed up at a time.
struct Room {
  int64_t width, rows;                // padded
  int64_t row_across = rows + kStep;  // so that the lines of a tile are not all in one cache set
  ScratchArrays memory{rows * width * 8 + row_across * width * 4 + rows * 4 + kKeys * width * 14 +
                       kQueries * (kKeys * 10 + width * 4) + kChunk * kKeys * 4};
  BFloat16 *queries = memory.take<BFloat16>(rows * width),
           *grads = memory.take<BFloat16>(rows * width);
  BFloat16 *queries_across = memory.take<BFloat16>(width * row_across),
           *grads_across = memory.take<BFloat16>(width * row_across);
  float *sum_queries = memory.take<float>(rows * width), *delta = memory.take<float>(rows);
  uint32_t *keys = memory.take<uint32_t>(kKeys * width / 2),
           *values = memory.take<uint32_t>(kKeys * width / 2);  // [keys / 16, width / 2, 16]
  // [width / 16, kKeys / 2, 16]: pairs of rows
  uint32_t* rows_of_keys = memory.take<uint32_t>(kKeys * width / 2);
  float *sum_keys = memory.take<float>(width * kKeys),
        *sum_values = memory.take<float>(width * kKeys);
  // [kQueries, kKeys]: scores, the products of gradients with values, the gradients of scores
  float *scores = memory.take<float>(kQueries * kKeys),
        *products = memory.take<float>(kQueries * kKeys);
  BFloat16* of_scores = memory.take<BFloat16>(kQueries * kKeys);
  float* transposed = memory.take<float>(kQueries * width);
  // [kKeys / 16, kChunk / 2, 16]: pairs of queries
  uint32_t *weight_pairs = memory.take<uint32_t>(kChunk / 2 * kKeys),
           *score_pairs = memory.take<uint32_t>(kChunk / 2 * kKeys);

  Room(int64_t num_queries, int64_t row)
      : width(padded(row, kStep)), rows(padded(num_queries, kQueries)) {
    // What is beyond a row, or the last one, is multiplied, and never written.
    for (BFloat16* lines : {queries, grads}) std::fill(lines, lines + rows * width, BFloat16(0.0f));
    for (uint32_t* pairs : {weight_pairs, score_pairs})
      std::fill(pairs, pairs + kChunk / 2 * kKeys, 0);
  }
};
constexpr int64_t kColumnOfPairs = kChunk / 2 * kTileSide;

// Copies n rows, and the whole padded matrix across.
void copy_both_ways(const BFloat16* from, int64_t row, int64_t n, int64_t width, const Room& s,
                    BFloat16* to, BFloat16* across) {
  for (int64_t i = 0; i < n; ++i)
    std::copy(from + i * row, from + i * row + width, to + i * s.width);
  transpose_copy_stub.cpu()(reinterpret_cast<char*>(across), s.row_across * 2,
                            reinterpret_cast<const char*>(to), s.width * 2, s.rows, s.width, 2);
}

// A query's row of scores, and what its weights and their gradients are made of.
struct ScoreRow {
  const float *scores, *products, *mask;
  int64_t seen;
  float shift, delta;
  BFloat16* of_scores;

  // Sixteen weights, and the gradients of their scores.
  void weigh(int64_t j, float scale, int64_t mask_step, F& weight, F& of_score) const {
    weight = exp_up_to_zero(scores_from(scores, j, seen, scale, mask, mask_step) - F(shift));
    of_score = (F::load(products + j) - F(delta)) * weight;
  }
};

// Rows of two neighbouring queries; where there is but one, the other counts as 0.
template <bool kBoth>
void weigh(const ScoreRow& low, const ScoreRow& high, int64_t columns, float scale,
           int64_t mask_step, uint32_t* weight_pairs, uint32_t* score_pairs) {
  for (int64_t j = 0; j < columns;
       j += F::size, weight_pairs += kColumnOfPairs, score_pairs += kColumnOfPairs) {
    F weight[2] = {F(0.0f), F(0.0f)}, of_score[2] = {F(0.0f), F(0.0f)};
    low.weigh(j, scale, mask_step, weight[0], of_score[0]);
    if (kBoth) high.weigh(j, scale, mask_step, weight[1], of_score[1]);
    store_nearest(of_score[0], low.of_scores + j);
    if (kBoth) store_nearest(of_score[1], high.of_scores + j);
    store_nearest_pairs(weight[0], weight[1], weight_pairs);
    store_nearest_pairs(of_score[0], of_score[1], score_pairs);
  }
}

// Writes the sums of n keys, which stand across, times `by`.
void write_across(const float* sum, int64_t n, int64_t width, float by, const Room& s, BFloat16* to,
                  int64_t row) {
  for (int64_t j = 0; j < n; j += kQueries) {
    const int64_t count = std::min(kQueries, n - j);
    transpose_copy_stub.cpu()(reinterpret_cast<char*>(s.transposed), s.width * 4,
                              reinterpret_cast<const char*>(sum + j), kKeys * 4, width, count, 4);
    for (int64_t r = 0; r < count; ++r, to += row) {
      float* line = s.transposed + r * s.width;
      for (int64_t e = 0; e < width; ++e) line[e] *= by;
      narrow(line, to, width);
    }
  }
}

// Adds what `chunk` queries from `first` on give to a block of keys, and the block to them.
void add_chunk(const FlashArgs& a, int64_t first, int64_t chunk, int64_t k0, int64_t block,
               const float* mask, const float* lse, const Room& s) {
  const int64_t width = s.width, steps = width / kStep;
  const float scale = static_cast<float>(a.scale);
  // With is_causal the last query sees most.
  const auto seen_by = [&](int64_t row) {
    return a.is_causal ? std::clamp<int64_t>(row + 1 - k0, 0, block) : block;
  };
  const int64_t all_columns = padded(seen_by(first + chunk - 1), kStep);
  for (int64_t i0 = 0; i0 < chunk; i0 += kQueries) {
    const int64_t row = first + i0, rows = std::min(kQueries, chunk - i0);
    const int64_t columns = padded(seen_by(row + rows - 1), kStep);
    const bool two = rows > kTileSide;
    multiply(two, s.queries + row * width, width, s.keys, width / 2 * kPairs, steps,
             columns / kTileSide, s.scores, kKeys, false);
    multiply(two, s.grads + row * width, width, s.values, width / 2 * kPairs, steps,
             columns / kTileSide, s.products, kKeys, false);
    const auto row_of = [&](int64_t r) {
      const int64_t i = row + r;
      return ScoreRow{s.scores + r * kKeys,
                      s.products + r * kKeys,
                      mask ? mask + i * a.mask.row + k0 * a.mask_column : nullptr,
                      seen_by(i),
                      lse[i] == -kInfinity ? 0.0f : lse[i],
                      s.delta[i],
                      s.of_scores + r * kKeys};
    };
    for (int64_t r = 0; r < kQueries; r += 2) {
      const int64_t place = (i0 + r) / 2 * kTileSide;
      uint32_t *weights = s.weight_pairs + place, *scores = s.score_pairs + place;
      int64_t j = columns;
      if (r + 1 < rows)
        weigh<true>(row_of(r), row_of(r + 1), columns, scale, a.mask_column, weights, scores);
      else if (r < rows)
        weigh<false>(row_of(r), row_of(r), columns, scale, a.mask_column, weights, scores);
      else if (s.rows > kChunk) j = 0;
      else break;  // places of no query are still 0
      for (; j < all_columns; j += kTileSide) {
        const int64_t at = j / kTileSide * kColumnOfPairs;
        std::fill(weights + at, weights + at + kTileSide, 0);
        std::fill(scores + at, scores + at + kTileSide, 0);
      }
    }
    multiply(two, s.of_scores, kKeys, s.rows_of_keys, kKeys / 2 * kPairs, columns / kStep,
             width / kTileSide, s.sum_queries + row * width, width, true);
  }
  for (int64_t e = 0; e < width; e += 2 * kTileSide) {
    const auto sum_up = [&](const BFloat16* across, const uint32_t* pairs, float* sum) {
      multiply<true>(across + e * s.row_across + first, s.row_across, pairs, kColumnOfPairs,
                     divup(chunk, kStep), all_columns / kTileSide, sum + e * kKeys, kKeys, true);
    };
    sum_up(s.grads_across, s.weight_pairs, s.sum_values);
    sum_up(s.queries_across, s.score_pairs, s.sum_keys);
  }
}

void backward_head(const FlashArgs& a, int64_t batch, int64_t head, const Room& s) {
  const int64_t n = a.queries, width = s.width;
  const BFloat16 *k = at_head<BFloat16>(a.key, batch, head),
                 *v = at_head<BFloat16>(a.value, batch, head),
                 *out = at_head<BFloat16>(a.out, batch, head),
                 *grad = at_head<BFloat16>(a.grad_out, batch, head);
  const float* mask = a.mask.data ? at_head<float>(a.mask, batch, head) : nullptr;
  const float* lse = static_cast<const float*>(a.logsumexp) + (batch * a.heads + head) * n;
  const float scale = static_cast<float>(a.scale);
  copy_both_ways(at_head<BFloat16>(a.query, batch, head), a.query.row, n, a.width, s, s.queries,
                 s.queries_across);
  copy_both_ways(grad, a.grad_out.row, n, a.width, s, s.grads, s.grads_across);
  for (int64_t i = 0; i < n; ++i)
    row_dots<1>(out + i * a.out.row, 0, grad + i * a.grad_out.row, a.width, s.delta + i);
  std::fill(s.sum_queries, s.sum_queries + s.rows * width, 0.0f);

  for (int64_t k0 = 0; k0 < a.keys; k0 += kKeys) {
    const int64_t block = std::min(kKeys, a.keys - k0), end = padded(block, kStep);
    const BFloat16 *rows_k = k + k0 * a.key.row, *rows_v = v + k0 * a.value.row;
    pack_pairs(rows_k, a.key.row, block, end, a.width, width, s.keys);
    pack_pairs(rows_v, a.value.row, block, end, a.width, width, s.values);
    pack_pairs_of_rows(rows_k, a.key.row, block, end, a.width, width, s.rows_of_keys,
                       kKeys / 2 * kPairs);
    for (float* sum : {s.sum_keys, s.sum_values}) {
      for (int64_t e = 0; e < width; ++e) std::fill(sum + e * kKeys, sum + e * kKeys + end, 0.0f);
    }
    // With is_causal, queries before the block's first key see none of its keys.
    for (int64_t first = a.is_causal ? k0 : 0; first < n; first += kChunk)
      add_chunk(a, first, std::min(kChunk, n - first), k0, block, mask, lse, s);
    write_across(s.sum_keys, block, a.width, scale, s,
                 at_head<BFloat16>(a.grad_key, batch, head) + k0 * a.grad_key.row, a.grad_key.row);
    write_across(s.sum_values, block, a.width, 1, s,
                 at_head<BFloat16>(a.grad_value, batch, head) + k0 * a.grad_value.row,
                 a.grad_value.row);
  }
  BFloat16* to = at_head<BFloat16>(a.grad_query, batch, head);
  for (int64_t i = 0; i < n; ++i) {
    float* sum = s.sum_queries + i * width;
    for (int64_t e = 0; e < a.width; ++e) sum[e] *= scale;
    narrow(sum, to + i * a.grad_query.row, a.width);
  }
}

void tile_attention_backward_kernel(const FlashArgs& a) {
  const int64_t work = std::max<int64_t>(1, a.queries * a.keys * a.width);
  parallel_for(0, a.batch * a.heads, std::max<int64_t>(1, kGrainSize * 4 / work),
               [&](int64_t begin, int64_t end) {
    const MatrixTiles tiles;
    const Room room(a.queries, a.width);
    for (int64_t u = begin; u < end; ++u) backward_head(a, u / a.heads, u % a.heads, room);
  });
}

#else

void tile_attention_backward_kernel(const FlashArgs&) {
  TORCH_INTERNAL_ASSERT(false, "this build has no kernel of matrix tiles");
}

#endif

}  // namespace

REGISTER_DISPATCH(tile_attention_backward_stub, &tile_attention_backward_kernel)

}  // namespace at::native
