#pragma once
// What attention and its gradients in matrix tiles share: the sizes of blocks, and scores.

#include <ATen/native/common/cpu/TileProducts.h>

#if defined(AT_MATRIX_TILES)

#include <limits>

#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace tile_attention {

using namespace matrix_tiles;
using F = Vec<float>;

constexpr int64_t kKeys = 256;        // of a block
constexpr int64_t kQueries = kPanel;  // rows of a tile of scores
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A mask's elements from j on, added to scores.
inline F mask_lanes(const float* mask, int64_t step, int64_t j, int64_t n) {
  if (step == 1) return F::load(mask + j, std::min(n, F::size - 1));
  F v(0.0f);
  for (int64_t i = 0; i < n; ++i) v.v[i] = mask[(j + i) * step];
  return v;
}

// 16 scores of a row from j on, times `scale`, and the mask; -inf behind the keys that are seen.
inline F scores_from(const float* row, int64_t j, int64_t seen, float scale, const float* mask,
                     int64_t step) {
  F v = F::load(row + j) * F(scale);
  const int64_t n = std::clamp<int64_t>(seen - j, 0, F::size);
  if (mask && n == F::size && step == 1) v += F::load(mask + j);
  else if (mask) v += mask_lanes(mask, step, j, n);
  return n < F::size ? first_lanes(v, n, -kInfinity) : v;
}

}  // namespace tile_attention
}  // namespace CPU_CAPABILITY
}  // namespace at::native
#endif
