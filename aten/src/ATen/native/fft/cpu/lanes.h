// No #pragma once, like ducc.h, which must come first.
//
// Moves rows of numbers into lanes and back: lane l of vector i is element i of row l. Several
// transforms then run at once, one in each lane.

#include <array>
#include <cstring>
#include <type_traits>

namespace at::native {
namespace {

// L numbers as one vector.
template <typename T, int L>
struct Pack {
  typedef T Vector __attribute__((vector_size(L * sizeof(T))));

  static Vector load(const T* p) {
    Vector v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  static void store(T* p, Vector v) { std::memcpy(p, &v, sizeof(v)); }

  // The first, or second, half of a[0], b[0], a[1], b[1], ...
  static Vector interleave_low(Vector a, Vector b) {
    if constexpr (L == 2) return __builtin_shufflevector(a, b, 0, 2);
    if constexpr (L == 4) return __builtin_shufflevector(a, b, 0, 4, 1, 5);
    if constexpr (L == 8) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    if constexpr (L == 16)
      return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  static Vector interleave_high(Vector a, Vector b) {
    if constexpr (L == 2) return __builtin_shufflevector(a, b, 1, 3);
    if constexpr (L == 4) return __builtin_shufflevector(a, b, 2, 6, 3, 7);
    if constexpr (L == 8) return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    if constexpr (L == 16)
      return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                     31);
  }
  // The elements of a and b at even, or odd, places.
  static Vector even(Vector a, Vector b) {
    if constexpr (L == 2) return __builtin_shufflevector(a, b, 0, 2);
    if constexpr (L == 4) return __builtin_shufflevector(a, b, 0, 2, 4, 6);
    if constexpr (L == 8) return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    if constexpr (L == 16)
      return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                     30);
  }
  static Vector odd(Vector a, Vector b) {
    if constexpr (L == 2) return __builtin_shufflevector(a, b, 1, 3);
    if constexpr (L == 4) return __builtin_shufflevector(a, b, 1, 3, 5, 7);
    if constexpr (L == 8) return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
    if constexpr (L == 16)
      return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                     31);
  }

  // Each pass rotates the bits of an element's place (row, column) by one; after log2(L) of them
  // they are swapped.
  static void transpose(Vector (&v)[L]) {
    for (int pass = 1; pass < L; pass *= 2) {
      Vector w[L];
      for (int i = 0; i < L / 2; ++i) {
        w[2 * i] = interleave_low(v[i], v[i + L / 2]);
        w[2 * i + 1] = interleave_high(v[i], v[i + L / 2]);
      }
      for (int i = 0; i < L; ++i) v[i] = w[i];
    }
  }
};

template <typename T, int L>
using RowPointers = std::array<T*, L>;

// lanes[i * L + l] = rows[l][i] for i < N, less than L. Each pass rotates the bits of an element's
// place by one, until those of i are in front.
template <int N, typename T, int L>
void few_to_lanes(const RowPointers<const T, L>& rows, int64_t skip, T* lanes) {
  using P = Pack<T, L>;
  typename P::Vector v[N], w[N];
  bool dense = true;
  for (int l = 1; l < L; ++l) dense &= rows[l] == rows[0] + l * N;
  if (dense && skip == 0) {
    for (int k = 0; k < N; ++k) v[k] = P::load(rows[0] + k * L);
  } else {
    T together[N * L];
    for (int l = 0; l < L; ++l) std::memcpy(together + l * N, rows[l] + skip, N * sizeof(T));
    for (int k = 0; k < N; ++k) v[k] = P::load(together + k * L);
  }
  for (int pass = 1; pass < N; pass *= 2) {
    for (int k = 0; k < N / 2; ++k) {
      w[k] = P::even(v[2 * k], v[2 * k + 1]);
      w[k + N / 2] = P::odd(v[2 * k], v[2 * k + 1]);
    }
    for (int k = 0; k < N; ++k) v[k] = w[k];
  }
  for (int k = 0; k < N; ++k) P::store(lanes + k * L, v[k]);
}

// The opposite, for num_rows rows.
template <int N, typename T, int L>
void lanes_to_few(const T* lanes, const RowPointers<T, L>& rows, int64_t skip, int num_rows) {
  using P = Pack<T, L>;
  typename P::Vector v[N], w[N];
  for (int k = 0; k < N; ++k) v[k] = P::load(lanes + k * L);
  for (int pass = 1; pass < N; pass *= 2) {
    for (int k = 0; k < N / 2; ++k) {
      w[2 * k] = P::interleave_low(v[k], v[k + N / 2]);
      w[2 * k + 1] = P::interleave_high(v[k], v[k + N / 2]);
    }
    for (int k = 0; k < N; ++k) v[k] = w[k];
  }
  T together[N * L];
  for (int k = 0; k < N; ++k) P::store(together + k * L, v[k]);
  for (int l = 0; l < num_rows; ++l) std::memcpy(rows[l] + skip, together + l * N, N * sizeof(T));
}

// Calls f(std::integral_constant<int, N>) for powers of two below L that add up to `rest`.
template <int L, typename F>
void in_powers_of_two(int64_t rest, const F& f) {
  const auto part = [&](auto size) {
    if constexpr (size < L) {
      if (rest & size) f(size);
    }
  };
  part(std::integral_constant<int, 8>());
  part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 2>());
  part(std::integral_constant<int, 1>());
}

// lanes[i * L + l] = rows[l][i] for i < n.
template <typename T, int L>
void rows_to_lanes(const RowPointers<const T, L>& rows, int64_t n, T* lanes) {
  using P = Pack<T, L>;
  int64_t i = 0;
  for (; i + L <= n; i += L) {
    typename P::Vector v[L];
    for (int l = 0; l < L; ++l) v[l] = P::load(rows[l] + i);
    P::transpose(v);
    for (int l = 0; l < L; ++l) P::store(lanes + (i + l) * L, v[l]);
  }
  in_powers_of_two<L>(n - i, [&]<int N>(std::integral_constant<int, N>) {
    few_to_lanes<N, T, L>(rows, i, lanes + i * L);
    i += N;
  });
}

// rows[l][i] = lanes[i * L + l] for l < num_rows.
template <typename T, int L>
void lanes_to_rows(const T* lanes, int64_t n, const RowPointers<T, L>& rows, int num_rows) {
  using P = Pack<T, L>;
  int64_t i = 0;
  for (; i + L <= n; i += L) {
    typename P::Vector v[L];
    for (int l = 0; l < L; ++l) v[l] = P::load(lanes + (i + l) * L);
    P::transpose(v);
    for (int l = 0; l < num_rows; ++l) P::store(rows[l] + i, v[l]);
  }
  in_powers_of_two<L>(n - i, [&]<int N>(std::integral_constant<int, N>) {
    lanes_to_few<N, T, L>(lanes + i * L, rows, i, num_rows);
    i += N;
  });
}

}  // namespace
}  // namespace at::native
