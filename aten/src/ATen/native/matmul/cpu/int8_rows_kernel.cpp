// Products of int8 matrices whose numbers are dot products of two dense rows, in int32.

#include <algorithm>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/matmul/int8_rows.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace at::native {
namespace {

constexpr int64_t W = kVecBytes / 2;  // 16-bit numbers of a vector
constexpr int64_t kFew = 4, kSums = 12;
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

// F rows of x, in 16 bits and padded with zeros, with R rows of y: registers hold the sums.
template <int F, int R, typename Write>
void tile_of_int8(const int16_t* x, int64_t step, const int8_t* y, int64_t ld, int64_t k,
                  const Write& write) {
  Ints sums[F][R] = {};
  const auto add = [&](int64_t p, const auto& read) {
    Shorts left[F];
#pragma GCC unroll 4
    for (int f = 0; f < F; ++f) std::memcpy(&left[f], x + f * step + p, sizeof(Shorts));
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const Shorts right = read(y + r * ld + p);
#pragma GCC unroll 4
      for (int f = 0; f < F; ++f) sums[f][r] += pairs_of_products(left[f], right);
    }
  };
  int64_t p = 0;
  for (; p + W <= k; p += W) add(p, [](const int8_t* from) { return widened(from); });
  if (p < k) {
    add(p, [count = k - p](const int8_t* from) {
      int8_t part[W] = {};
      std::copy_n(from, count, part);
      return widened(part);
    });
  }
#pragma GCC unroll 4
  for (int f = 0; f < F; ++f) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      uint32_t sum = 0;  // sums wrap
      for (int64_t i = 0; i < W / 2; ++i) sum += static_cast<uint32_t>(sums[f][r][i]);
      write(f, r, static_cast<int32_t>(sum));
    }
  }
}

void int8_rows_kernel(const Int8Rows& g) {
  const int64_t step = divup(g.k, W) * W;
  const Scratch<int16_t> rows(g.m * step);
  for (int64_t i = 0; i < g.m; ++i) {
    int16_t* to = rows.get() + i * step;
    if (g.is_signed) std::copy_n(static_cast<const int8_t*>(g.x) + i * g.x_step, g.k, to);
    else std::copy_n(static_cast<const uint8_t*>(g.x) + i * g.x_step, g.k, to);
    std::fill(to + g.k, to + step, int16_t{0});
  }
  const int64_t grain = divup(divup(2 * kGrainSize, g.k * g.m), kSums) * kSums;
  parallel_for(0, g.n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kSums) {
      const int64_t last = std::min(end, first + kSums);
      for (int64_t i = 0; i < g.m; i += kFew) {
        with_constant<1, kFew>(std::min(kFew, g.m - i), [&]<int F>(std::integral_constant<int, F>) {
          const auto run = [&]<int R>(int64_t j, std::integral_constant<int, R>) {
            tile_of_int8<F, R>(
                rows.get() + i * step, step, g.y + j * g.y_step, g.y_step, g.k,
                [&](int64_t f, int64_t r, int32_t sum) { g.out[(i + f) * g.n + j + r] = sum; });
          };
          constexpr int R = kSums / F;
          int64_t j = first;
          for (; j + R <= last; j += R) run(j, std::integral_constant<int, R>());
          for (; j < last; ++j) run(j, std::integral_constant<int, 1>());
        });
      }
    }
  });
}

}  // namespace

REGISTER_DISPATCH(int8_rows_stub, &int8_rows_kernel)

}  // namespace at::native
