// Products of rows with weights in 8 or 4 bits, which become floats in registers: the weights are
// read as they are, once for up to four rows.

#include <algorithm>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/matmul/matmul.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace at::native {
namespace {

using F32 = Vec<float>;
constexpr int64_t W = F32::size;
typedef int32_t Ints __attribute__((vector_size(kVecBytes)));
constexpr int64_t kFew = 4;  // rows of x at a time

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

// Rows of x as floats, padded with zeros to whole vectors.
struct FloatRows {
  int64_t step;
  Scratch<float> data;

  template <typename T>
  FloatRows(const T* x, int64_t rows, int64_t k) : step(divup(k, W) * W), data(rows * step) {
    for (int64_t i = 0; i < rows; ++i) {
      float* to = data.get() + i * step;
      if constexpr (kSumsAreWide<T>) convert_run(x + i * k, to, k);
      else std::copy_n(x + i * k, k, to);
      std::fill(to + k, to + step, 0.0f);
    }
  }

  // In each two vectors the even numbers come first, as those of weights in 4 bits do.
  void separate(int64_t rows) {
    float part[2 * W];
    for (float *to = data.get(), *end = to + rows * step; to < end; to += 2 * W) {
      std::copy_n(to, 2 * W, part);
      for (int64_t i = 0; i < W; ++i) {
        to[i] = part[2 * i];
        to[W + i] = part[2 * i + 1];
      }
    }
  }
};

template <int F, int R, typename Write>
void write_sums(const F32 (&sums)[F][R], const Write& write) {
#pragma GCC unroll 4
  for (int f = 0; f < F; ++f) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) write(f, r, sum_lanes(sums[f][r]));
  }
}

// f(i, F) for rows of x from i, up to four at a time; F is a constant.
template <typename Tile>
void over_few(int64_t rows, const Tile& f) {
  for (int64_t i = 0; i < rows; i += kFew)
    with_constant<1, kFew>(std::min(kFew, rows - i), [&](auto count) { f(i, count); });
}

F32 load_numbers(const int8_t* p) { return numbers(integers(p)); }
F32 load_numbers(const float* p) { return F32::load(p); }

// The dot products of F rows of x with R rows of weights of type B, which are k apart.
template <int F, int R, typename B, typename Write>
void tile_of_dots(const float* x, int64_t step, const B* w, int64_t k, const Write& write) {
  F32 sums[F][R] = {};
  const auto add = [&](int64_t p, const auto& read) {
    F32 left[F];
#pragma GCC unroll 4
    for (int f = 0; f < F; ++f) left[f] = F32::load(x + f * step + p);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const F32 right = read(w + r * k + p);
#pragma GCC unroll 4
      for (int f = 0; f < F; ++f) sums[f][r] += left[f] * right;
    }
  };
  int64_t p = 0;
  for (; p + W <= k; p += W) add(p, [](const B* from) { return load_numbers(from); });
  if (p < k) {
    add(p, [count = k - p](const B* from) {
      B part[W] = {};
      std::copy_n(from, count, part);
      return load_numbers(part);
    });
  }
  write_sums(sums, write);
}

// All rows of x with the rows of weights that are at w: write(i, j, sum).
constexpr int64_t kSums = 12;
template <typename B, typename Write>
void dots_of_block(const FloatRows& rows, int64_t m, const B* w, int64_t count, int64_t k,
                   const Write& write) {
  over_few(m, [&]<int F>(int64_t i, std::integral_constant<int, F>) {
    const auto run = [&]<int R>(int64_t j, std::integral_constant<int, R>) {
      tile_of_dots<F, R>(rows.data.get() + i * rows.step, rows.step, w + j * k, k,
                         [&](int64_t f, int64_t r, float sum) { write(i + f, j + r, sum); });
    };
    constexpr int R = kSums / F;
    int64_t j = 0;
    for (; j + R <= count; j += R) run(j, std::integral_constant<int, R>());
    for (; j < count; ++j) run(j, std::integral_constant<int, 1>());
  });
}

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

// As tile_of_dots, in 4 bits. ranges[g * range_step + 2 * r] are scale and zero of group g of row
// r.
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
  write_sums(sums, write);
}

template <typename T>
void product_of_8_bits(const Tensor& out, const Tensor& x, const Tensor& weight,
                       const Tensor& scales) {
  const int64_t m = x.sizes()[0], k = x.sizes()[1], n = weight.sizes()[0];
  const FloatRows rows(static_cast<const T*>(x.data_ptr()), m, k);
  const int8_t* w = static_cast<const int8_t*>(weight.data_ptr());
  const T* scale = static_cast<const T*>(scales.data_ptr());
  T* to = static_cast<T*>(out.data_ptr());
  const int64_t grain = divup(divup(kGrainSize, k * m), kSums) * kSums;
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; j += kSums) {
      dots_of_block(rows, m, w + j * k, std::min(kSums, end - j), k,
                    [&](int64_t i, int64_t r, float sum) {
        to[i * n + j + r] = static_cast<T>(sum * static_cast<float>(scale[j + r]));
      });
    }
  });
}

template <typename T>
void product_of_4_bits(const Tensor& out, const Tensor& x, const Tensor& weight,
                       const Tensor& scales, int64_t group) {
  const int64_t m = x.sizes()[0], k = x.sizes()[1], n = weight.sizes()[0], groups = k / group;
  FloatRows rows(static_cast<const T*>(x.data_ptr()), m, k);
  rows.separate(m);
  const uint8_t* w = static_cast<const uint8_t*>(weight.data_ptr());
  const T* ranges = static_cast<const T*>(scales.data_ptr());
  T* to = static_cast<T*>(out.data_ptr());
  // More rows are worth weights in float.
  const bool is_many = m > kFew;
  constexpr int64_t kBlock = 36, kStep = 2 * kBlock;  // rows of weights whose ranges are converted
  const int64_t grain = divup(divup(kGrainSize, k * m), 2) * 2;
  parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    const Scratch<float> block_ranges(groups * kStep), expanded(is_many ? kSums * k : 0);
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t last = std::min(end, first + kBlock);
      for (int64_t g = 0; g < groups; ++g) {
        const T* from = ranges + (g * n + first) * 2;
        float* wide = block_ranges.get() + g * kStep;
        if constexpr (kSumsAreWide<T>) convert_run(from, wide, 2 * (last - first));
        else std::copy_n(from, 2 * (last - first), wide);
      }
      for (int64_t j = first; is_many && j < last; j += kSums) {
        const int64_t count = std::min(kSums, last - j);
        for (int64_t r = 0; r < count; ++r)
          expand(w + (j + r) * k / 2, k, group, block_ranges.get() + 2 * (j + r - first), kStep,
                 expanded.get() + r * k);
        dots_of_block(rows, m, expanded.get(), count, k, [&](int64_t i, int64_t r, float sum) {
          to[i * n + j + r] = static_cast<T>(sum);
        });
      }
      if (is_many) continue;
      over_few(m, [&]<int F>(int64_t i, std::integral_constant<int, F>) {
        const auto run = [&]<int R>(int64_t j, std::integral_constant<int, R>) {
          tile_of_4_bits<F, R>(rows.data.get() + i * rows.step, rows.step, w + j * k / 2, k, group,
                               block_ranges.get() + 2 * (j - first), kStep,
                               [&](int64_t f, int64_t r, float sum) {
            to[(i + f) * n + j + r] = static_cast<T>(sum);
          });
        };
        constexpr int R = F > 2 ? 1 : 2;
        int64_t j = first;
        for (; j + R <= last; j += R) run(j, std::integral_constant<int, R>());
        for (; j < last; ++j) run(j, std::integral_constant<int, 1>());
      });
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
