// Transposed copies, tile by tile: a tile's rows and columns stay in the first-level cache, and 8 x
// 8 tiles of 4-byte elements are transposed in registers.

#include <cstdint>
#include <cstring>

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

typedef uint32_t V8 __attribute__((vector_size(32), may_alias, aligned(4)));

// Three rounds of interleaving turn rows into columns.
void tile_8x8(char* d, int64_t d1, const char* s, int64_t s0) {
  V8 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = *reinterpret_cast<const V8*>(s + i * s0);
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shuffle(r[i], r[i + 1], V8{0, 8, 2, 10, 4, 12, 6, 14});
    t[i + 1] = __builtin_shuffle(r[i], r[i + 1], V8{1, 9, 3, 11, 5, 13, 7, 15});
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      r[i + k] = __builtin_shuffle(t[i + k], t[i + k + 2], V8{0, 1, 8, 9, 4, 5, 12, 13});
      r[i + k + 2] = __builtin_shuffle(t[i + k], t[i + k + 2], V8{2, 3, 10, 11, 6, 7, 14, 15});
    }
  }
  for (int k = 0; k < 4; ++k) {
    t[k] = __builtin_shuffle(r[k], r[k + 4], V8{0, 1, 2, 3, 8, 9, 10, 11});
    t[k + 4] = __builtin_shuffle(r[k], r[k + 4], V8{4, 5, 6, 7, 12, 13, 14, 15});
  }
  for (int j = 0; j < 8; ++j) *reinterpret_cast<V8*>(d + j * d1) = t[j];
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
  constexpr int64_t kTile = 8;
  constexpr int64_t item = sizeof(T);
  // Strips of 64 elements along the destination, so that the source's cache lines of one strip are
  // still cached for the next tile.
  constexpr int64_t kStrip = 64;
  for (int64_t i0 = 0; i0 < n0; i0 += kStrip) {
    int64_t i1 = i0 + kStrip < n0 ? i0 + kStrip : n0;
    for (int64_t j = 0; j < n1; j += kTile) {
      int64_t nj = n1 - j < kTile ? n1 - j : kTile;
      for (int64_t i = i0; i < i1; i += kTile) {
        int64_t ni = i1 - i < kTile ? i1 - i : kTile;
        char* to = d + i * item + j * d1;
        const char* from = s + i * s0 + j * item;
        if (item == 4 && ni == kTile && nj == kTile) {
          tile_8x8(to, d1, from, s0);
        } else {
          tile_any<T>(to, d1, from, s0, ni, nj);
        }
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
