// Transposed copies, tile by tile: a tile's rows and columns stay in the first-level cache, and
// squares of it are transposed in registers.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/cpu/Interleaved.h>

namespace at::native {
namespace {

template <typename T>
void tile_any(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1) {
  for (int64_t j = 0; j < n1; ++j) {
    T* to = reinterpret_cast<T*>(d + j * d1);
    for (int64_t i = 0; i < n0; ++i) {
      std::memcpy(to + i, s + i * s0 + j * static_cast<int64_t>(sizeof(T)), sizeof(T));
    }
  }
}

// S x S elements that are transposed in registers.
template <typename T, int S>
struct Square {
  static constexpr int kSize = S;
  typedef T V __attribute__((vector_size(S * sizeof(T)), may_alias, aligned(1)));
  typedef std::conditional_t<
      sizeof(T) == 1, int8_t,
      std::conditional_t<sizeof(T) == 2, int16_t,
                         std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>
      Lane __attribute__((vector_size(S * sizeof(T))));

  // The first, or second, half of a[0], b[0], a[1], b[1], ...
  static V interleaved(V a, V b, int half) {
    Lane lane;
    for (int i = 0; i < S; ++i) lane[i] = static_cast<T>((i % 2) * S + i / 2 + half * S / 2);
    return __builtin_shuffle(a, b, lane);
  }

  // Each pass rotates the bits of an element's place (row, column) by one; after log2(S) of them
  // they are swapped.
  static void transpose(char* d, int64_t d1, const char* s, int64_t s0) {
    V v[S], w[S];
#pragma GCC unroll 16
    for (int i = 0; i < S; ++i) v[i] = *reinterpret_cast<const V*>(s + i * s0);
#pragma GCC unroll 4
    for (int pass = 1; pass < S; pass *= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < S / 2; ++i) {
        w[2 * i] = interleaved(v[i], v[i + S / 2], 0);
        w[2 * i + 1] = interleaved(v[i], v[i + S / 2], 1);
      }
#pragma GCC unroll 16
      for (int i = 0; i < S; ++i) v[i] = w[i];
    }
#pragma GCC unroll 16
    for (int j = 0; j < S; ++j) *reinterpret_cast<V*>(d + j * d1) = v[j];
  }
};

#if !defined(CPU_CAPABILITY_AVX512)
// Shuffles within the halves of a register, which cost less than those across them.
template <>
struct Square<uint32_t, 8> {
  static constexpr int kSize = 8;
  typedef uint32_t V __attribute__((vector_size(32), may_alias, aligned(1)));

  static void transpose(char* d, int64_t d1, const char* s, int64_t s0) {
    V r[8], t[8];
    for (int i = 0; i < 8; ++i) r[i] = *reinterpret_cast<const V*>(s + i * s0);
    for (int i = 0; i < 8; i += 2) {
      t[i] = __builtin_shuffle(r[i], r[i + 1], V{0, 8, 2, 10, 4, 12, 6, 14});
      t[i + 1] = __builtin_shuffle(r[i], r[i + 1], V{1, 9, 3, 11, 5, 13, 7, 15});
    }
    for (int i = 0; i < 8; i += 4) {
      for (int k = 0; k < 2; ++k) {
        r[i + k] = __builtin_shuffle(t[i + k], t[i + k + 2], V{0, 1, 8, 9, 4, 5, 12, 13});
        r[i + k + 2] = __builtin_shuffle(t[i + k], t[i + k + 2], V{2, 3, 10, 11, 6, 7, 14, 15});
      }
    }
    for (int k = 0; k < 4; ++k) {
      t[k] = __builtin_shuffle(r[k], r[k + 4], V{0, 1, 2, 3, 8, 9, 10, 11});
      t[k + 4] = __builtin_shuffle(r[k], r[k + 4], V{4, 5, 6, 7, 12, 13, 14, 15});
    }
    for (int j = 0; j < 8; ++j) *reinterpret_cast<V*>(d + j * d1) = t[j];
  }
};
#endif

// What is fastest by measurement.
template <typename T>
struct SquareOf {
  using type = void;
};
template <>
struct SquareOf<uint8_t> {
  using type = Square<uint8_t, 16>;
};
template <>
struct SquareOf<uint16_t> {
  using type = Square<uint16_t, 8>;
};
template <>
struct SquareOf<uint32_t> {
#if defined(CPU_CAPABILITY_AVX512)
  using type = Square<uint32_t, 16>;
#else
  using type = Square<uint32_t, 8>;
#endif
};
template <>
struct SquareOf<uint64_t> {
#if defined(CPU_CAPABILITY_AVX512)
  using type = Square<uint64_t, 8>;
#else
  using type = Square<uint64_t, 4>;
#endif
};

// Less than a tile, in squares of S x S or less if it has as many rows and columns. The last
// squares overlap those before them.
template <typename T, int S>
void part_by_squares(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1) {
  constexpr int64_t item = sizeof(T);
  if (n0 < S || n1 < S) {
    if constexpr (S >= 8) return part_by_squares<T, S / 2>(d, d1, s, s0, n0, n1);
    else return tile_any<T>(d, d1, s, s0, n0, n1);
  }
  for (int64_t row = 0; row < n0; row += S) {
    const int64_t i = std::min(row, n0 - S);
    for (int64_t column = 0; column < n1; column += S) {
      const int64_t j = std::min(column, n1 - S);
      Square<T, S>::transpose(d + j * d1 + i * item, d1, s + i * s0 + j * item, s0);
    }
  }
}

template <typename T>
void part_of_tile(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1) {
  if constexpr (std::is_void_v<typename SquareOf<T>::type>) tile_any<T>(d, d1, s, s0, n0, n1);
  else part_by_squares<T, SquareOf<T>::type::kSize>(d, d1, s, s0, n0, n1);
}

// A tile whose rows and columns are whole cache lines, by way of a buffer: every line is read and
// written once.
template <typename T>
void line_tile(char* d, int64_t d1, const char* s, int64_t s0) {
  using Q = typename SquareOf<T>::type;
  constexpr int64_t item = sizeof(T), kLine = 64, N = kLine / item;
  if constexpr (Q::kSize == N) {
    Q::transpose(d, d1, s, s0);
  } else {
    alignas(64) char buffer[N * kLine];
    for (int64_t i = 0; i < N; i += Q::kSize) {
      for (int64_t j = 0; j < N; j += Q::kSize)
        Q::transpose(buffer + j * kLine + i * item, kLine, s + i * s0 + j * item, s0);
    }
    for (int64_t j = 0; j < N; ++j) std::memcpy(d + j * d1, buffer + j * kLine, kLine);
  }
}

// Few rows that are dense in the source or the destination are taken apart or put together in
// registers; false for others.
template <typename T>
bool few_rows(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1) {
  constexpr int64_t item = sizeof(T);
  if constexpr (item <= 8) {
    T* const to = reinterpret_cast<T*>(d);
    const T* const from = reinterpret_cast<const T*>(s);
    if (n1 <= kMaxInterleaved && s0 == n1 * item && d1 % item == 0) {
      return for_interleaved(n1, [&]<int K>(std::integral_constant<int, K>) {
        split_rows<K, K>(to, d1 / item, from, n0);
      });
    }
    if (d1 == n0 * item && s0 % item == 0) {
      return for_interleaved(n0, [&]<int K>(std::integral_constant<int, K>) {
        join_rows<K>(to, from, s0 / item, n1);
      });
    }
  }
  return false;
}

template <typename T>
void transpose(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1) {
  if (few_rows<T>(d, d1, s, s0, n0, n1)) return;
  constexpr int64_t item = sizeof(T);
  constexpr bool kHasTiles = !std::is_void_v<typename SquareOf<T>::type>;
  constexpr int64_t kTile = kHasTiles ? 64 / item : 8;
  // Strips along the destination, so that the source's cache lines of one strip are still cached
  // for the next tile. Processors do not foresee reads of so many rows.
  constexpr int64_t kStrip = item < 4 ? 64 : 128, kLinesAhead = item < 4 ? 0 : 2;
  for (int64_t i0 = 0; i0 < n0; i0 += kStrip) {
    int64_t i1 = i0 + kStrip < n0 ? i0 + kStrip : n0;
    for (int64_t j = 0; j < n1; j += kTile) {
      int64_t nj = n1 - j < kTile ? n1 - j : kTile;
      for (int64_t i = i0; i < i1; i += kTile) {
        int64_t ni = i1 - i < kTile ? i1 - i : kTile;
        char* to = d + i * item + j * d1;
        const char* from = s + i * s0 + j * item;
        if constexpr (kHasTiles) {
          if (ni == kTile && nj == kTile) {
            if constexpr (kLinesAhead > 0) {
              for (int64_t r = 0; r < kTile; ++r)
                __builtin_prefetch(from + r * s0 + kLinesAhead * 64);
            }
            line_tile<T>(to, d1, from, s0);
            continue;
          }
        }
        part_of_tile<T>(to, d1, from, s0, ni, nj);
      }
    }
  }
}

}  // namespace

static void transpose_copy(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1,
                           int64_t itemsize) {
  switch (itemsize) {
    case 1:
      return transpose<uint8_t>(d, d1, s, s0, n0, n1);
    case 2:
      return transpose<uint16_t>(d, d1, s, s0, n0, n1);
    case 4:
      return transpose<uint32_t>(d, d1, s, s0, n0, n1);
    case 8:
      return transpose<uint64_t>(d, d1, s, s0, n0, n1);
    default:
      return transpose<unsigned __int128>(d, d1, s, s0, n0, n1);
  }
}

REGISTER_DISPATCH(transpose_copy_stub, &transpose_copy)

}  // namespace at::native
