#pragma once
// Rows whose elements take turns in memory (the columns of a matrix with 2 to 4 of them, the parts
// of complex numbers), a register at a time.

#include <cstdint>
#include <cstring>

#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int kMaxInterleaved = 4;

// Shuffles of bytes stay within 16 of them.
template <typename T>
struct InterleavedVec {
  static constexpr int kBytes = sizeof(T) == 1 ? 16 : kVecBytes;
  static constexpr int size = kBytes / static_cast<int>(sizeof(T));
  typedef T V __attribute__((vector_size(kBytes)));
  using Lane = decltype(V{} < V{});

  static V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { std::memcpy(p, &v, sizeof v); }
};

// The register whose lane q is number q * K + r of K registers.
template <typename T, int K>
inline typename InterleavedVec<T>::V every_kth(const typename InterleavedVec<T>::V (&from)[K],
                                               int r) {
  constexpr int W = InterleavedVec<T>::size;
  typename InterleavedVec<T>::Lane lane;
  for (int q = 0; q < W; ++q) lane[q] = (q * K + r) % W;
  typename InterleavedVec<T>::V x = __builtin_shuffle(from[0], lane);
  for (int s = 1; s < K; ++s) {
    for (int q = 0; q < W; ++q) lane[q] = (q * K + r) / W == s ? W + (q * K + r) % W : q;
    x = __builtin_shuffle(x, from[s], lane);
  }
  return x;
}

// The opposite: register number s of K rows whose elements take turns.
template <typename T, int K>
inline typename InterleavedVec<T>::V in_turns(const typename InterleavedVec<T>::V (&rows)[K],
                                              int s) {
  constexpr int W = InterleavedVec<T>::size;
  typename InterleavedVec<T>::Lane lane;
  for (int q = 0; q < W; ++q) lane[q] = (s * W + q) / K;
  typename InterleavedVec<T>::V x = __builtin_shuffle(rows[0], lane);
  for (int k = 1; k < K; ++k) {
    for (int q = 0; q < W; ++q) lane[q] = (s * W + q) % K == k ? W + (s * W + q) / K : q;
    x = __builtin_shuffle(x, rows[k], lane);
  }
  return x;
}

// Takes K rows that take turns apart: out[r] = every_kth(in, r), by halves where K is even.
template <typename T, int K>
inline void take_apart(const typename InterleavedVec<T>::V (&in)[K],
                       typename InterleavedVec<T>::V (&out)[K]) {
  using V = typename InterleavedVec<T>::V;
  if constexpr (K == 1) {
    out[0] = in[0];
  } else if constexpr (K % 2 == 0) {
    V half[2][K / 2], rows[2][K / 2];
#pragma GCC unroll 4
    for (int k = 0; k < K / 2; ++k) {
      const V pair[2] = {in[2 * k], in[2 * k + 1]};
      half[0][k] = every_kth<T, 2>(pair, 0);
      half[1][k] = every_kth<T, 2>(pair, 1);
    }
    take_apart<T, K / 2>(half[0], rows[0]);
    take_apart<T, K / 2>(half[1], rows[1]);
#pragma GCC unroll 8
    for (int r = 0; r < K; ++r) out[r] = rows[r % 2][r / 2];
  } else {
#pragma GCC unroll 8
    for (int r = 0; r < K; ++r) out[r] = every_kth<T, K>(in, r);
  }
}

// to[r][i] = from[i * K + r] for rows of n elements, which are `step` apart. `rows`: how many of
// them are wanted, from the first.
template <int K, int rows, typename T>
void split_rows(T* to, int64_t step, const T* from, int64_t n) {
  using V = InterleavedVec<T>;
  int64_t i = 0;
  for (; i + V::size <= n; i += V::size) {
    typename V::V in[K], out[K];
#pragma GCC unroll 8
    for (int s = 0; s < K; ++s) in[s] = V::load(from + i * K + s * V::size);
    if constexpr (rows == K) take_apart<T, K>(in, out);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
      V::store(to + r * step + i, rows == K ? out[r] : every_kth<T, K>(in, r));
  }
  for (; i < n; ++i) {
    for (int r = 0; r < rows; ++r) to[r * step + i] = from[i * K + r];
  }
}

// to[i * K + r] = from[r][i] for rows of n elements, which are `step` apart.
template <int K, typename T>
void join_rows(T* to, const T* from, int64_t step, int64_t n) {
  using V = InterleavedVec<T>;
  int64_t i = 0;
  for (; i + V::size <= n; i += V::size) {
    typename V::V in[K];
#pragma GCC unroll 4
    for (int r = 0; r < K; ++r) in[r] = V::load(from + r * step + i);
#pragma GCC unroll 4
    for (int s = 0; s < K; ++s) V::store(to + i * K + s * V::size, in_turns<T, K>(in, s));
  }
  for (; i < n; ++i) {
    for (int r = 0; r < K; ++r) to[i * K + r] = from[r * step + i];
  }
}

// f(std::integral_constant<int, K>) if K rows, at most kMaxInterleaved, take turns; else false.
template <typename F>
bool for_interleaved(int64_t rows, const F& f) {
  return with_constant<2, kMaxInterleaved>(rows, f);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
