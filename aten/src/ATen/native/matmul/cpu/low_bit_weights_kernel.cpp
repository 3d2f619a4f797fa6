// Products of rows with weights in 8 or 4 bits, which become floats in registers: the weights are
// read as they are, once for up to four rows.

#include <algorithm>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowTiles.h>
#include <ATen/native/matmul/matmul.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace at::native {
namespace {

using F32 = Vec<float>;
constexpr int64_t W = F32::size;
typedef int32_t Ints __attribute__((vector_size(kVecBytes)));

template <typename B>
Ints integers(const B* bytes) {
#if defined(__AVX512F__)
  const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return Ints(std::is_signed_v<B> ? _mm512_cvtepi8_epi32(b) : _mm512_cvtepu8_epi32(b));
#elif defined(__AVX2__)
  const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return Ints(std::is_signed_v<B> ? _mm256_cvtepi8_epi32(b) : _mm256_cvtepu8_epi32(b));
#else
  Ints wide;
  for (int64_t i = 0; i < W; ++i) wide[i] = bytes[i];
  return wide;
#endif
}
F32 numbers(Ints v) { return F32(__builtin_convertvector(v, F32::V)); }

// In each two vectors of a row the even numbers come first, as those of weights in 4 bits do.
void separate(const PaddedRows<float>& rows, int64_t count) {
  float part[2 * W];
  for (float *to = rows.row(0), *end = rows.row(count); to < end; to += 2 * W) {
    std::copy_n(to, 2 * W, part);
    for (int64_t i = 0; i < W; ++i) {
      to[i] = part[2 * i];
      to[W + i] = part[2 * i + 1];
    }
  }
}

struct Int8Dots : FewFloats<float> {
  const int8_t* w;
  int64_t k;

  F32 many(int64_t r, int64_t p) const { return numbers(integers(w + r * k + p)); }
  F32 many(int64_t r, int64_t p, int64_t count) const {
    int8_t part[W] = {};
    std::copy_n(w + r * k + p, count, part);
    return numbers(integers(part));
  }
};

// Weights in 4 bits of W bytes, the even ones and the odd ones.
struct Pair {
  F32 even, odd;
  Pair(const uint8_t* bytes, F32 scale, F32 zero) : even(0.0f), odd(0.0f) {
    const Ints pairs = integers(bytes);
    even = numbers((pairs & 15) - 8) * scale + zero;
    odd = numbers((pairs >> 4) - 8) * scale + zero;
  }
};

// A row of them in float.
inline void expand(const uint8_t* w, int64_t k, int64_t group, const float* ranges,
                   int64_t range_step, float* to) {
  for (int64_t first = 0; first < k; first += group, ranges += range_step) {
    const F32 scale(ranges[0]), zero(ranges[1]);
    for (int64_t p = first; p < first + group; p += 2 * W) {
      const Pair pair(w + p / 2, scale, zero);
      pair.even.store(to + p);
      pair.odd.store(to + p + W);
    }
  }
}

// As tile_of_dots, of weights in 4 bits. ranges[g * range_step + 2 * r] are scale and zero of group
// g of row r.
template <int F, int R, typename Write>
void tile_of_4_bits(const float* x, int64_t step, const uint8_t* w, int64_t k, int64_t group,
                    const float* ranges, int64_t range_step, const Write& write) {
  F32 sums[F][R] = {};
  for (int64_t first = 0; first < k; first += group, ranges += range_step) {
    F32 scale[R], zero[R];
#pragma GCC unroll 2
    for (int r = 0; r < R; ++r) {
      scale[r] = F32(ranges[2 * r]);
      zero[r] = F32(ranges[2 * r + 1]);
    }
    for (int64_t p = first; p < first + group; p += 2 * W) {
#pragma GCC unroll 2
      for (int r = 0; r < R; ++r) {
        const Pair pair(w + (r * k + p) / 2, scale[r], zero[r]);
#pragma GCC unroll 4
        for (int f = 0; f < F; ++f) {
          sums[f][r] += F32::load(x + f * step + p) * pair.even;
          sums[f][r] += F32::load(x + f * step + p + W) * pair.odd;
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int f = 0; f < F; ++f) {
#pragma GCC unroll 2
    for (int r = 0; r < R; ++r) write(f, r, sum_lanes(sums[f][r]));
  }
}

template <typename T>
void product_of_8_bits(const Tensor& out, const Tensor& x, const Tensor& weight,
                       const Tensor& scales) {
  const int64_t m = x.sizes()[0], k = x.sizes()[1], n = weight.sizes()[0];
  const PaddedRows<float> few(static_cast<const T*>(x.data_ptr()), m, k, k);
  const int8_t* w = static_cast<const int8_t*>(weight.data_ptr());
  const T* scale = static_cast<const T*>(scales.data_ptr());
  T* to = static_cast<T*>(out.data_ptr());
  each_row_tile(m, n, k, [&]<int F, int R>(int64_t i, int64_t j, RowTile<F, R>) {
    tile_of_dots<F, R>(Int8Dots{{few.row(i), few.step}, w + j * k, k}, k,
                       [&](int64_t f, int64_t r, float sum) {
      to[(i + f) * n + j + r] = static_cast<T>(sum * static_cast<float>(scale[j + r]));
    });
  });
}

template <typename T>
void product_of_4_bits(const Tensor& out, const Tensor& x, const Tensor& weight,
                       const Tensor& scales, int64_t group) {
  const int64_t m = x.sizes()[0], k = x.sizes()[1], n = weight.sizes()[0], groups = k / group;
  const PaddedRows<float> few(static_cast<const T*>(x.data_ptr()), m, k, k);
  separate(few, m);
  const uint8_t* w = static_cast<const uint8_t*>(weight.data_ptr());
  const T* ranges = static_cast<const T*>(scales.data_ptr());
  T* to = static_cast<T*>(out.data_ptr());
  // More rows are worth weights in float.
  const bool is_many = m > kFewInTile;
  // The ranges of a block of rows are converted at once.
  constexpr int64_t kBlock = 3 * kSumsOfTile, kStep = 2 * kBlock;
  const int64_t grain = divup(divup(kGrainSize, k * m), kSumsOfTile) * kSumsOfTile;
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    const Scratch<float> wide(groups * kStep), expanded(is_many ? kSumsOfTile * k : 0);
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t rows = std::min(end - first, kBlock);
      for (int64_t g = 0; g < groups; ++g)
        convert_run(ranges + (g * n + first) * 2, wide.get() + g * kStep, 2 * rows);
      const auto write = [&](int64_t i, int64_t j) {
        return [=](int64_t f, int64_t r, float sum) {
          to[(i + f) * n + first + j + r] = static_cast<T>(sum);
        };
      };
      const auto bytes = [&](int64_t j) { return w + (first + j) * k / 2; };
      if (!is_many) {
        with_constant<1, kFewInTile>(m, [&]<int F>(std::integral_constant<int, F>) {
          constexpr int R = F > 2 ? 1 : 2;
          const auto run = [&]<int count>(int64_t j, std::integral_constant<int, count>) {
            tile_of_4_bits<F, count>(few.row(0), few.step, bytes(j), k, group, wide.get() + 2 * j,
                                     kStep, write(0, j));
          };
          int64_t j = 0;
          for (; j + R <= rows; j += R) run(j, std::integral_constant<int, R>());
          for (; j < rows; ++j) run(j, std::integral_constant<int, 1>());
        });
        continue;
      }
      for (int64_t block = 0; block < rows; block += kSumsOfTile) {
        const int64_t count = std::min<int64_t>(kSumsOfTile, rows - block);
        for (int64_t r = 0; r < count; ++r) {
          expand(bytes(block + r), k, group, wide.get() + 2 * (block + r), kStep,
                 expanded.get() + r * k);
        }
        each_tile_of_block(m, 0, count, [&]<int F, int R>(int64_t i, int64_t j, RowTile<F, R>) {
          const FloatDots<float> dots{{few.row(i), few.step}, expanded.get() + j * k, k};
          tile_of_dots<F, R>(dots, k, write(i, block + j));
        });
      }
    }
  });
}

void low_bit_product_kernel(const Tensor& out, const Tensor& x, const Tensor& weight,
                            const Tensor& scales, int64_t group) {
  dispatch_types<ReducedTypes, float>(x.scalar_type(), "low_bit_product",
                                      [&]<typename T>(TypeTag<T>) {
    if (weight.scalar_type() == kChar) product_of_8_bits<T>(out, x, weight, scales);
    else product_of_4_bits<T>(out, x, weight, scales, group);
  });
}

}  // namespace

REGISTER_DISPATCH(low_bit_product_stub, &low_bit_product_kernel)

}  // namespace at::native
