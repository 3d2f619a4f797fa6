// Counts, selects and fills the elements for which a mask is true.

#include <cstring>

#include <ATen/native/common/BoolBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/masked/masked.h>

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace at::native {
static int64_t count_true_kernel(const bool* mask, int64_t n) {
  const uint8_t* m = reinterpret_cast<const uint8_t*>(mask);
  constexpr int64_t kBytes = 64;
  int64_t total = 0, i = 0;
  while (i + kBytes <= n) {
    // Sums of bytes that are 0 or 1 fit a byte for 255 rounds.
    uint8_t sums[kBytes] = {};
    const int64_t stop = std::min(n - kBytes, i + kBytes * 254);
    for (; i <= stop; i += kBytes) {
      for (int64_t k = 0; k < kBytes; ++k)
        sums[k] = static_cast<uint8_t>(sums[k] + (m[i + k] != 0));
    }
    for (const uint8_t sum : sums) total += sum;
  }
  for (; i < n; ++i) total += m[i] != 0;
  return total;
}

namespace {

// f(i) for i in [begin, end) as long as fewer than `count` are found, which f counts in k. Words of
// the mask in which nothing is true are left out.
template <typename F>
void for_words(const bool* mask, int64_t begin, int64_t end, int64_t count, const int64_t& k,
               const F& f) {
  constexpr int64_t kWord = 8;
  int64_t i = begin;
  for (; i + kWord <= end && k + kWord <= count; i += kWord) {
    uint64_t word;
    std::memcpy(&word, mask + i, kWord);
    if (word == 0) continue;
    for (int64_t j = i; j < i + kWord; ++j) f(j);
  }
  for (; i < end && k < count; ++i) f(i);
}

template <typename T>
void compress(T* dst, const T* src, const bool* mask, int64_t n, int64_t count) {
  int64_t k = 0, i = 0;
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr int64_t W = 64 / sizeof(T);
    for (; i + W <= n && k + W <= count; i += W) {
      __m512i x = _mm512_loadu_si512(src + i);
      if constexpr (sizeof(T) == 4) {
        __m128i m = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
        __mmask16 bits = _mm_test_epi8_mask(m, m);
        _mm512_storeu_si512(dst + k, _mm512_maskz_compress_epi32(bits, x));
        k += __builtin_popcount(bits);
      } else {
        __m128i m = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i));
        __mmask8 bits = static_cast<__mmask8>(_mm_test_epi8_mask(m, m));
        _mm512_storeu_si512(dst + k, _mm512_maskz_compress_epi64(bits, x));
        k += __builtin_popcount(bits);
      }
    }
  }
#endif
  // Writes first and advances only for selected elements: no branch to mispredict. Stops before
  // writing past the end.
  for_words(mask, i, n, count, k, [&](int64_t j) {
    dst[k] = src[j];
    k += is_true(mask, j);
  });
}

}  // namespace

static void compress_kernel(char* dst, const char* src, const bool* mask, int64_t n, int64_t count,
                            size_t itemsize) {
  auto run = [&](auto tag) {
    using T = decltype(tag);
    compress(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), mask, n, count);
  };
  by_size(itemsize, run);
}

namespace {

template <typename T>
void expand(T* dst, const T* src, const bool* mask, int64_t n, int64_t count) {
  int64_t k = 0, i = 0;
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr int64_t W = 64 / sizeof(T);
    for (; i + W <= n && k + W <= count; i += W) {
      const __m512i x = _mm512_loadu_si512(src + k), before = _mm512_loadu_si512(dst + i);
      if constexpr (sizeof(T) == 4) {
        const __m128i m = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
        const __mmask16 bits = _mm_test_epi8_mask(m, m);
        _mm512_storeu_si512(dst + i, _mm512_mask_expand_epi32(before, bits, x));
        k += __builtin_popcount(bits);
      } else {
        const __m128i m = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i));
        const __mmask8 bits = static_cast<__mmask8>(_mm_test_epi8_mask(m, m));
        _mm512_storeu_si512(dst + i, _mm512_mask_expand_epi64(before, bits, x));
        k += __builtin_popcount(bits);
      }
    }
  }
#endif
  // No branch to mispredict. Stops before reading past the end.
  for_words(mask, i, n, count, k, [&](int64_t j) {
    const bool selected = is_true(mask, j);
    dst[j] = choose_bits(selected, src[k], dst[j]);
    k += selected;
  });
}

}  // namespace

static void expand_kernel(char* dst, const char* src, const bool* mask, int64_t n, int64_t count,
                          size_t itemsize) {
  by_size(itemsize, [&](auto tag) {
    using T = decltype(tag);
    expand(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), mask, n, count);
  });
}

static void compress_positions_kernel(int64_t* dst, const bool* mask, int64_t n, int64_t first,
                                      int64_t count) {
  int64_t k = 0, i = 0;
#if defined(__AVX512F__) && defined(__AVX512BW__)
  __m512i x = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  for (; i + 8 <= n && k + 8 <= count; i += 8) {
    __m128i m = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i));
    __mmask8 bits = static_cast<__mmask8>(_mm_test_epi8_mask(m, m));
    _mm512_storeu_si512(dst + k, _mm512_maskz_compress_epi64(bits, x));
    x = _mm512_add_epi64(x, _mm512_set1_epi64(8));
    k += __builtin_popcount(bits);
  }
#endif
  for_words(mask, i, n, count, k, [&](int64_t j) {
    dst[k] = first + j;
    k += is_true(mask, j);
  });
}

namespace {

template <typename T>
void fill_where(TensorIteratorBase& iter, T value) {
  const ScalarType dtype = iter.dtype(0), types[3] = {dtype, dtype, kBool};
  auto loop = [value](char* const* data, int64_t n) {
    const T fill = value;
    T* to = reinterpret_cast<T*>(data[0]);
    const T* from = reinterpret_cast<const T*>(data[1]);
    const uint8_t* mask = reinterpret_cast<const uint8_t*>(data[2]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = choose_bits(mask[i] != 0, fill, from[i]);
  };
  run_loop(iter, types, loop, kGrainSize);
}

}  // namespace

static void masked_fill_kernel(TensorIteratorBase& iter, const Scalar& value) {
  dispatch_types<AllTypes>(iter.dtype(0), "masked_fill", [&]<typename T>(TypeTag<T>) {
    const T x = value.cast<T>();
    std::conditional_t<sizeof(T) == 16, Bytes16, UnsignedOfSize<sizeof(T)>> bits;
    std::memcpy(&bits, &x, sizeof bits);
    fill_where(iter, bits);
  });
}

REGISTER_DISPATCH(count_true_stub, &count_true_kernel)
REGISTER_DISPATCH(compress_stub, &compress_kernel)
REGISTER_DISPATCH(expand_stub, &expand_kernel)
REGISTER_DISPATCH(compress_positions_stub, &compress_positions_kernel)
REGISTER_DISPATCH(masked_fill_stub, &masked_fill_kernel)

}  // namespace at::native
