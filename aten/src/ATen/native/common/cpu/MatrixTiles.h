#pragma once
// The matrix tiles of some AVX-512 processors (Intel AMX): registers of 16 rows of 64 bytes, and
// products of bfloat16 that are added in float.
//
//   MatrixTiles tiles;                        // the shape of all tiles; given back at the end
//   load<4>(a, bytes_of_row);                 // 16 rows of 32 bfloat16
//   load<6>(b, 64);                           // 16 pairs of rows: b[2p][j], b[2p + 1][j], ...
//   multiply_add<0, 4, 6>();                  // tile 0, of 16 x 16 floats, += a b
//
// Written in assembly: the compiler's intrinsics need flags that no other code of the file may
// have.

#if defined(CPU_CAPABILITY_AVX512) && defined(__linux__)
#define AT_MATRIX_TILES 1

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include <ATen/native/common/cpu/Vec.h>
#include <c10/util/BFloat16.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Whether the processor has tiles of bfloat16, and conversions to it, and the system saves tiles.
inline bool has_matrix_tiles() {
  static const bool found = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    const bool tiles = (d >> 24 & 1) != 0, products = (d >> 22 & 1) != 0;
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d)) return false;
    const bool conversions = (a >> 5 & 1) != 0;
    if (!tiles || !products || !conversions) return false;
    // A process asks for the room that its tiles take when they are saved.
    constexpr long kRequestPermission = 0x1023, kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return found;
}

constexpr int64_t kTileSide = 16;     // rows of a tile; floats, or pairs of bfloat16, of one
constexpr int64_t kTileBytes = 1024;  // of a whole tile in memory

class MatrixTiles {
 public:
  MatrixTiles() {
    struct alignas(64) {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t bytes_of_row[16] = {};
      uint8_t num_rows[16] = {};
    } shape;
    for (int t = 0; t < 8; ++t) shape.bytes_of_row[t] = 64, shape.num_rows[t] = kTileSide;
    asm volatile("ldtilecfg %0" ::"m"(shape));
  }
  ~MatrixTiles() { asm volatile("tilerelease" ::); }
  MatrixTiles(const MatrixTiles&) = delete;
  MatrixTiles& operator=(const MatrixTiles&) = delete;

  template <int tile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(tile));
  }
  template <int tile>
  static void load(const void* from, int64_t bytes_of_row) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(bytes_of_row), "i"(tile)
                 : "memory");
  }
  template <int tile>
  static void store(void* to, int64_t bytes_of_row) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(bytes_of_row), "i"(tile)
                 : "memory");
  }
  template <int sum, int a, int b>
  static void multiply_add() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(sum), "i"(a), "i"(b));
  }
};

// The nearest bfloat16 of 16 floats by one instruction, where bfloat16_vectors::store takes
// several; subnormal numbers become 0.
inline void store_nearest(Vec<float> v, c10::BFloat16* to) {
  typedef int16_t Halves __attribute__((vector_size(32)));
  Halves halves;
  asm("vcvtneps2bf16 %1, %0" : "=v"(halves) : "v"(v.v));
  std::memcpy(to, &halves, sizeof halves);
}
// The same of twice 16 floats, in pairs: of each pair the first is `low`'s.
inline void store_nearest_pairs(Vec<float> low, Vec<float> high, uint32_t* to) {
  __m512i halves;  // all of low's, then all of high's
  asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(halves) : "v"(high.v), "v"(low.v));
  const __m512i first = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(halves)),
                second = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(halves, 1));
  _mm512_storeu_si512(to, _mm512_or_si512(first, _mm512_slli_epi32(second, 16)));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
#else

namespace at::native {
inline namespace CPU_CAPABILITY {
inline bool has_matrix_tiles() { return false; }
}  // namespace CPU_CAPABILITY
}  // namespace at::native
#endif
