// Attention in tiles with an online softmax: the matrix of scores is never stored.
//
// Note [Flash attention]
// Forward: for a group of queries, the loop runs over blocks of keys. It computes a tile of scores,
// updates its rows' maxima m and sums l, scales the accumulated output by exp(m_old - m_new), and
// adds exp(scores - m) times the values. logsumexp = m + log(l) is kept for backward, which
// recomputes exp(scores - logsumexp) tile by tile. With is_causal query i sees keys 0 to i: tiles
// beyond are not computed, and those on the diagonal only as far as needed. The method is that of
// Dao et al., FlashAttention (2022), algorithms 1 and 4; gradients of a softmax from row sums of
// out * grad.

#include <algorithm>
#include <cmath>
#include <memory>

#include <ATen/Parallel.h>
#include <ATen/native/attention/attention.h>
#include <ATen/native/attention/cpu/FlashChunks.h>
#include <ATen/native/attention/cpu/TileGemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowDots.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
namespace {

constexpr int64_t kQueries = 32;  // rows of a tile of scores
constexpr int64_t kKeys = 128;  // columns: the tile and a block of values fit the first-level cache

template <typename T>
std::unique_ptr<T[]> scratch(int64_t n) {
  return std::unique_ptr<T[]>(new T[static_cast<size_t>(n)]);
}

// n rows of `width` elements, transposed: to[e * kKeys + j], padded with zeros to whole vectors.
template <typename T>
void pack_transposed(const T* from, int64_t row, int64_t n, int64_t width, T* to) {
  const int64_t padded = padded_to_vectors<T>(n);
  constexpr int64_t W = Vec<T>::size;
  for (int64_t j0 = 0; j0 < n; j0 += W) {
    const int64_t count = std::min(W, n - j0);
    for (int64_t e = 0; e < width; ++e) {
      for (int64_t j = 0; j < count; ++j) to[e * kKeys + j0 + j] = from[(j0 + j) * row + e];
    }
  }
  for (int64_t e = 0; e < width; ++e) {
    for (int64_t j = n; j < padded; ++j) to[e * kKeys + j] = T(0);
  }
}

// Keys of fewer queries are not packed: that takes as long as the dot products with so many.
constexpr int64_t kFewQueries = 8;

// The dot products of m rows with n others, in rows of a tile that are padded with zeros.
template <typename T>
void dot_products(int64_t m, int64_t n, int64_t width, const T* a, int64_t row_a, const T* b,
                  int64_t row_b, T* tile) {
  for (int64_t i = 0; i < m; ++i, tile += kKeys) {
    many_row_dots(b, row_b, a + i * row_a, width, n, tile);
    std::fill(tile + n, tile + padded_to_vectors<T>(n), T(0));
  }
}

template <typename T>
void copy_scaled(const T* from, int64_t row, int64_t n, int64_t width, T scale, T* to) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = 0; e < width; ++e) to[i * width + e] = from[i * row + e] * scale;
  }
}

// A row of scores: adds the mask, and sets keys not seen, up to a whole vector, to -inf.
template <typename T>
void mask_row(T* s, int64_t seen, int64_t columns, const T* mask, int64_t step) {
  if (mask && step == 1) {
    for (int64_t j = 0; j < seen; ++j) s[j] += mask[j];
  } else if (mask) {
    for (int64_t j = 0; j < seen; ++j) s[j] += mask[j * step];
  }
  const int64_t padded = padded_to_vectors<T>(columns);
  for (int64_t j = seen; j < padded; ++j) s[j] = -static_cast<T>(INFINITY);
}

template <typename T>
T row_max(const T* s, int64_t n) {
  Vec<T> max = Vec<T>::load(s);
  for (int64_t j = Vec<T>::size; j < n; j += Vec<T>::size) {
    Vec<T> v = Vec<T>::load(s + j);
    max = where((v > max) | (v != v), v, max);
  }
  return max_lanes(max);
}

// s = exp(s - shift) over whole vectors; returns the sum.
template <typename T>
T exp_row(T* s, int64_t n, T shift) {
  Vec<T> sum(T(0));
  for (int64_t j = 0; j < n; j += Vec<T>::size) {
    Vec<T> e = exp_up_to_zero(Vec<T>::load(s + j) - Vec<T>(shift));
    e.store(s + j);
    sum += e;
  }
  return sum_lanes(sum);
}

template <typename T>
void forward_chunk(const FlashArgs& a, int64_t batch, int64_t head, int64_t first, int64_t last) {
  const int64_t E = a.width, pad = padded_to_vectors<T>(E), n = last - first;
  const T *q = at_head<T>(a.query, batch, head) + first * a.query.row,
          *k = at_head<T>(a.key, batch, head), *v = at_head<T>(a.value, batch, head);
  const T* mask = a.mask.data ? at_head<T>(a.mask, batch, head) : nullptr;
  T* lse = static_cast<T*>(a.logsumexp) + (batch * a.heads + head) * a.queries + first;
  auto memory = scratch<T>(n * E + n * pad + E * kKeys + kQueries * kKeys + 2 * n);
  T *mine = memory.get(), *sum = mine + n * E, *packed = sum + n * pad, *s = packed + E * kKeys,
    *max = s + kQueries * kKeys, *total = max + n;
  copy_scaled(q, a.query.row, n, E, static_cast<T>(a.scale), mine);
  for (int64_t i = 0; i < n * pad; ++i) sum[i] = T(0);
  for (int64_t i = 0; i < n; ++i) max[i] = -static_cast<T>(INFINITY), total[i] = T(0);

  const int64_t keys = a.is_causal ? std::min(a.keys, last) : a.keys;
  const bool is_few = n < kFewQueries;
  for (int64_t k0 = 0; k0 < keys; k0 += kKeys) {
    const int64_t block = std::min(kKeys, keys - k0);
    const T* rows_k = k + k0 * a.key.row;
    if (!is_few) pack_transposed(rows_k, a.key.row, block, E, packed);
    for (int64_t i0 = 0; i0 < n; i0 += kQueries) {
      const int64_t rows = std::min(kQueries, n - i0);
      const int64_t columns = a.is_causal ? std::min(block, first + i0 + rows - k0) : block;
      if (columns <= 0) continue;
      const int64_t padded = padded_to_vectors<T>(columns);
      const T* rows_q = mine + i0 * E;
      if (is_few) dot_products(rows, columns, E, rows_q, E, rows_k, a.key.row, s);
      else tile_gemm<T>(rows, padded, E, rows_q, E, 1, packed, kKeys, s, kKeys, false);
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t i = i0 + r, row = first + i;
        const int64_t seen = a.is_causal ? std::clamp<int64_t>(row + 1 - k0, 0, columns) : columns;
        T* line = s + r * kKeys;
        mask_row(line, seen, columns, mask ? mask + row * a.mask.row + k0 * a.mask_column : nullptr,
                 a.mask_column);
        T top = row_max(line, padded);
        top = top > max[i] || top != top ? top : max[i];
        if (top == -static_cast<T>(INFINITY)) {
          for (int64_t j = 0; j < padded; ++j) line[j] = T(0);
          continue;
        }
        const T added = exp_row(line, padded, top);
        if (top != max[i]) {
          const T shrink = std::exp(max[i] - top);
          total[i] *= shrink;
          T* acc = sum + i * pad;
          for (int64_t e = 0; e < pad; ++e) acc[e] *= shrink;
          max[i] = top;
        }
        total[i] += added;
      }
      tile_gemm<T>(rows, E, columns, s, kKeys, 1, v + k0 * a.value.row, a.value.row, sum + i0 * pad,
                   pad, true);
    }
  }
  T* out = at_head<T>(a.out, batch, head) + first * a.out.row;
  for (int64_t i = 0; i < n; ++i) {
    // A row that sees no keys is zero.
    const T scale = total[i] == T(0) ? T(0) : T(1) / total[i];
    for (int64_t e = 0; e < E; ++e) out[i * a.out.row + e] = sum[i * pad + e] * scale;
    lse[i] = max[i] + std::log(total[i]);
  }
}

}  // namespace

static void flash_attention_kernel(const FlashArgs& a) {
  dispatch_types<FloatingTypes>(a.dtype, "flash_attention", [&]<typename T>(TypeTag<T>) {
    for_each_chunk(a, kGrainSize * 4, [&] {
      return [&](int64_t batch, int64_t head, int64_t first, int64_t last) {
        forward_chunk<T>(a, batch, head, first, last);
      };
    });
  });
}

namespace {

template <typename T>
void backward_head(const FlashArgs& a, int64_t batch, int64_t head) {
  const int64_t E = a.width, pad = padded_to_vectors<T>(E), L = a.queries;
  const T *q = at_head<T>(a.query, batch, head), *k = at_head<T>(a.key, batch, head),
          *v = at_head<T>(a.value, batch, head);
  const T *out = at_head<T>(a.out, batch, head), *g = at_head<T>(a.grad_out, batch, head);
  const T* mask = a.mask.data ? at_head<T>(a.mask, batch, head) : nullptr;
  const T* lse = static_cast<const T*>(a.logsumexp) + (batch * a.heads + head) * L;
  T *dq = at_head<T>(a.grad_query, batch, head), *dk = at_head<T>(a.grad_key, batch, head),
    *dv = at_head<T>(a.grad_value, batch, head);
  auto memory =
      scratch<T>(L * E + L * pad + L + 2 * E * kKeys + 2 * kKeys * pad + 2 * kQueries * kKeys);
  T *mine = memory.get(), *sum_q = mine + L * E, *delta = sum_q + L * pad, *packed_k = delta + L,
    *packed_v = packed_k + E * kKeys;
  T *sum_k = packed_v + E * kKeys, *sum_v = sum_k + kKeys * pad, *s = sum_v + kKeys * pad,
    *d = s + kQueries * kKeys;
  const T scale = static_cast<T>(a.scale);
  copy_scaled(q, a.query.row, L, E, scale, mine);
  for (int64_t i = 0; i < L * pad; ++i) sum_q[i] = T(0);
  for (int64_t i = 0; i < L; ++i) {
    T sum = 0;
    for (int64_t e = 0; e < E; ++e) sum += out[i * a.out.row + e] * g[i * a.grad_out.row + e];
    delta[i] = sum;
  }
  const bool is_few = L < kFewQueries;
  for (int64_t k0 = 0; k0 < a.keys; k0 += kKeys) {
    const int64_t block = std::min(kKeys, a.keys - k0);
    const T *rows_k = k + k0 * a.key.row, *rows_v = v + k0 * a.value.row;
    if (!is_few) {
      pack_transposed(rows_k, a.key.row, block, E, packed_k);
      pack_transposed(rows_v, a.value.row, block, E, packed_v);
    }
    for (int64_t i = 0; i < kKeys * pad; ++i) sum_k[i] = sum_v[i] = T(0);
    // With is_causal, queries before the block's first key see none of its keys.
    const int64_t begin = a.is_causal ? k0 / kQueries * kQueries : 0;
    for (int64_t i0 = begin; i0 < L; i0 += kQueries) {
      const int64_t rows = std::min(kQueries, L - i0);
      const int64_t columns = a.is_causal ? std::min(block, i0 + rows - k0) : block;
      if (columns <= 0) continue;
      const int64_t padded = padded_to_vectors<T>(columns);
      const T *rows_g = g + i0 * a.grad_out.row, *rows_q = mine + i0 * E;
      if (is_few) {
        dot_products(rows, columns, E, rows_q, E, rows_k, a.key.row, s);
        dot_products(rows, columns, E, rows_g, a.grad_out.row, rows_v, a.value.row, d);
      } else {
        tile_gemm<T>(rows, padded, E, rows_q, E, 1, packed_k, kKeys, s, kKeys, false);
        tile_gemm<T>(rows, padded, E, rows_g, a.grad_out.row, 1, packed_v, kKeys, d, kKeys, false);
      }
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t i = i0 + r;
        const int64_t seen = a.is_causal ? std::clamp<int64_t>(i + 1 - k0, 0, columns) : columns;
        T *p = s + r * kKeys, *ds = d + r * kKeys;
        mask_row(p, seen, columns, mask ? mask + i * a.mask.row + k0 * a.mask_column : nullptr,
                 a.mask_column);
        const Vec<T> shift(lse[i] == -static_cast<T>(INFINITY) ? T(0) : lse[i]), less(delta[i]);
        for (int64_t j = 0; j < padded; j += Vec<T>::size) {
          Vec<T> e = exp_up_to_zero(Vec<T>::load(p + j) - shift);
          e.store(p + j);
          ((Vec<T>::load(ds + j) - less) * e).store(ds + j);
        }
      }
      tile_gemm<T>(columns, E, rows, s, 1, kKeys, rows_g, a.grad_out.row, sum_v, pad, true);
      tile_gemm<T>(columns, E, rows, d, 1, kKeys, rows_q, E, sum_k, pad, true);
      tile_gemm<T>(rows, E, columns, d, kKeys, 1, rows_k, a.key.row, sum_q + i0 * pad, pad, true);
    }
    for (int64_t j = 0; j < block; ++j) {
      for (int64_t e = 0; e < E; ++e) {
        dk[(k0 + j) * a.grad_key.row + e] = sum_k[j * pad + e];
        dv[(k0 + j) * a.grad_value.row + e] = sum_v[j * pad + e];
      }
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < E; ++e) dq[i * a.grad_query.row + e] = sum_q[i * pad + e] * scale;
  }
}

}  // namespace

static void flash_attention_backward_kernel(const FlashArgs& a) {
  dispatch_types<FloatingTypes>(a.dtype, "flash_attention_backward", [&]<typename T>(TypeTag<T>) {
    const int64_t work = std::max<int64_t>(1, a.queries * a.keys * a.width);
    parallel_for(0, a.batch * a.heads, std::max<int64_t>(1, kGrainSize * 2 / work),
                 [&](int64_t begin, int64_t end) {
      for (int64_t u = begin; u < end; ++u) backward_head<T>(a, u / a.heads, u % a.heads);
    });
  });
}

REGISTER_DISPATCH(flash_attention_stub, &flash_attention_kernel)
REGISTER_DISPATCH(flash_attention_backward_stub, &flash_attention_backward_kernel)

}  // namespace at::native
