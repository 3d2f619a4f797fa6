// Products of int8 matrices whose numbers are dot products of two dense rows, in int32.

#include <algorithm>
#include <cstring>

#include <ATen/native/common/cpu/RowTiles.h>
#include <ATen/native/matmul/int8_rows.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace at::native {
namespace {

constexpr int64_t W = kVecBytes / 2;  // 16-bit numbers of a vector
typedef int32_t Ints __attribute__((vector_size(kVecBytes)));
typedef int16_t Shorts __attribute__((vector_size(kVecBytes)));

// The sums of two products each; products of 8-bit numbers do not overflow.
inline Ints pairs_of_products(Shorts x, Shorts y) {
#if defined(__AVX512BW__)
  return Ints(_mm512_madd_epi16(__m512i(x), __m512i(y)));
#elif defined(__AVX2__)
  return Ints(_mm256_madd_epi16(__m256i(x), __m256i(y)));
#else
  Ints sums;
  for (int64_t i = 0; i < W / 2; ++i) sums[i] = x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
  return sums;
#endif
}

inline Shorts widened(const int8_t* p) {
#if defined(__AVX512BW__)
  return Shorts(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif defined(__AVX2__)
  return Shorts(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
  Shorts wide;
  for (int64_t i = 0; i < W; ++i) wide[i] = p[i];
  return wide;
#endif
}

struct PairDots {
  using Vector = Shorts;
  using Sum = Ints;
  static constexpr int64_t kLanes = W;
  const int16_t* x;
  int64_t x_step;
  const int8_t* y;
  int64_t y_step;

  Shorts few(int64_t f, int64_t p) const {
    Shorts v;
    std::memcpy(&v, x + f * x_step + p, sizeof v);
    return v;
  }
  Shorts many(int64_t r, int64_t p) const { return widened(y + r * y_step + p); }
  Shorts many(int64_t r, int64_t p, int64_t count) const {
    int8_t part[W] = {};
    std::copy_n(y + r * y_step + p, count, part);
    return widened(part);
  }
  static void add(Ints& sum, Shorts left, Shorts right) { sum += pairs_of_products(left, right); }
  static int32_t total(Ints sums) {
    uint32_t sum = 0;  // which may wrap
    for (int64_t i = 0; i < W / 2; ++i) sum += static_cast<uint32_t>(sums[i]);
    return static_cast<int32_t>(sum);
  }
};

template <typename T>
void product_of_rows(const Int8Rows& g) {
  const PaddedRows<int16_t> few(static_cast<const T*>(g.x), g.m, g.k, g.x_step);
  each_row_tile(g.m, g.n, g.k, [&]<int F, int R>(int64_t i, int64_t j, RowTile<F, R>) {
    tile_of_dots<F, R>(
        PairDots{few.row(i), few.step, g.y + j * g.y_step, g.y_step}, g.k,
        [&](int64_t f, int64_t r, int32_t sum) { g.out[(i + f) * g.n + j + r] = sum; });
  });
}

void int8_rows_kernel(const Int8Rows& g) {
  if (g.is_signed) product_of_rows<int8_t>(g);
  else product_of_rows<uint8_t>(g);
}

}  // namespace

REGISTER_DISPATCH(int8_rows_stub, &int8_rows_kernel)

}  // namespace at::native
