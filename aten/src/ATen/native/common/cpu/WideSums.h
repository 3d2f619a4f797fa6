#pragma once
// Sums for outputs of a half type, accumulated in float.
//
//   WideSums<T> sums;
//   SumType<T>* plane = sums.open(pointer, n);
//   ... plane[i] += x ...
//   sums.close();

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/native/common/SumType.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Converts n adjacent elements from one of the two types to the other.
template <typename From, typename To>
void convert_run(const From* from, To* to, int64_t n) {
  using HalfComplex = c10::complex<c10::Half>;
  if constexpr (std::is_same_v<From, HalfComplex>) {
    half_to_float(reinterpret_cast<const c10::Half*>(from), reinterpret_cast<float*>(to), 2 * n);
  } else if constexpr (std::is_same_v<To, HalfComplex>) {
    float_to_half(reinterpret_cast<const float*>(from), reinterpret_cast<c10::Half*>(to), 2 * n);
  } else if constexpr (std::is_same_v<From, float>) {
    narrow(from, to, n);
  } else {
    widen(from, to, n);
  }
}

// sums[i] += from[i] for n elements.
template <typename T>
void add_run(const T* from, SumType<T>* sums, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) return add_half_to_float(from, sums, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<SumType<T>>(from[i]);
}

// One vector of bfloat16, which is the upper half of a float. GCC converts so few one by one.
namespace bfloat16_vectors {
typedef uint16_t Stored __attribute__((vector_size(kVecBytes / 2), may_alias, aligned(2)));
typedef uint32_t Bits __attribute__((vector_size(kVecBytes)));

inline Vec<float> load(const c10::BFloat16* from) {
  const Stored& stored = *reinterpret_cast<const Stored*>(from);
  return Vec<float>::V(__builtin_convertvector(stored, Bits) << 16);
}
// To the nearest, as BFloat16's constructor.
inline void store(Vec<float> v, c10::BFloat16* to) {
  const Bits bits = Bits(v.v), nan = Bits{} + 0x7fc0;
  const Bits rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  *reinterpret_cast<Stored*>(to) = __builtin_convertvector(v.v == v.v ? rounded : nan, Stored);
}
}  // namespace bfloat16_vectors

// The first n < 16 halves of memory, and zeros, as one vector; and the first n of such a vector.
template <typename T>
void copy_first(const T* from, T* part, int64_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(part), _mm256_maskz_loadu_epi16(mask, from));
#else
  std::fill_n(part, Vec<SumType<T>>::size, T(0));
  std::copy_n(from, n, part);
#endif
}
template <typename T>
void store_first(const T* part, T* to, int64_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  _mm256_mask_storeu_epi16(to, mask, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(part)));
#else
  std::copy_n(part, n, to);
#endif
}

// A vector of numbers, in the type that they are summed in.
template <typename T>
Vec<SumType<T>> load_wide(const T* from) {
  using V = Vec<SumType<T>>;
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    return bfloat16_vectors::load(from);
  } else if constexpr (kSumsAreWide<T>) {
    alignas(kVecBytes) SumType<T> wide[V::size];
    convert_run(from, wide, V::size);
    return V::load(wide);
  } else {
    return V::load(from);
  }
}

// The first n lanes of one; the others are 0.
template <typename T>
Vec<SumType<T>> load_wide(const T* from, int64_t n) {
  using V = Vec<SumType<T>>;
  if constexpr (kSumsAreWide<T>) {
    T part[V::size];
    copy_first(from, part, n);
    return load_wide(part);
  } else {
    return V::load(from, n);
  }
}

// The opposite: a vector of sums, as elements in memory.
template <typename T>
void store_narrow(Vec<SumType<T>> v, T* to) {
  using V = Vec<SumType<T>>;
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    bfloat16_vectors::store(v, to);
  } else if constexpr (kSumsAreWide<T>) {
    alignas(kVecBytes) SumType<T> wide[V::size];
    v.store(wide);
    convert_run(wide, to, V::size);
  } else {
    v.store(to);
  }
}

// Its first n lanes.
template <typename T>
void store_narrow(Vec<SumType<T>> v, T* to, int64_t n) {
  if constexpr (kSumsAreWide<T>) {
    T part[Vec<SumType<T>>::size];
    store_narrow(v, part);
    store_first(part, to, n);
  } else {
    v.store(to, n);
  }
}

// n elements as numbers that can be added to: the memory itself, or a buffer that close() writes
// back.
template <typename T>
class WideSums {
 public:
  using A = SumType<T>;
  A* open(T* p, int64_t n) {
    if constexpr (!kSumsAreWide<T>) {
      return p;
    } else {
      memory_ = p;
      buffer_.resize(n);
      convert_run(p, buffer_.data(), n);
      return buffer_.data();
    }
  }
  void close() {
    if constexpr (kSumsAreWide<T>) {
      convert_run(buffer_.data(), memory_, static_cast<int64_t>(buffer_.size()));
    }
  }

 private:
  T* memory_ = nullptr;
  std::vector<A> buffer_;
};

// n elements as numbers of the type that they are summed in: the memory itself, or a converted copy
// that lasts until the next call.
template <typename T>
class Widened {
 public:
  const SumType<T>* read(const T* p, int64_t n) {
    if constexpr (!kSumsAreWide<T>) {
      return p;
    } else {
      if (static_cast<int64_t>(buffer_.size()) < n) buffer_.resize(n);
      convert_run(p, buffer_.data(), n);
      return buffer_.data();
    }
  }

 private:
  std::vector<SumType<T>> buffer_;
};

// (index, position) for each of n positions, sorted by index; equal indices keep their order.
// `size`: an upper bound of the indices, if known.
template <typename F>
std::vector<std::pair<int64_t, int64_t>> sorted_by_index(int64_t n, const F& index_of,
                                                         int64_t size = -1) {
  std::vector<std::pair<int64_t, int64_t>> order(n);
  if (size < 0 || size > 4 * n) {
    for (int64_t k = 0; k < n; ++k) order[k] = {index_of(k), k};
    std::sort(order.begin(), order.end());
    return order;
  }
  std::vector<int64_t> next(size + 1);
  for (int64_t k = 0; k < n; ++k) ++next[index_of(k) + 1];
  for (int64_t p = 0; p < size; ++p) next[p + 1] += next[p];
  for (int64_t k = 0; k < n; ++k) order[next[index_of(k)]++] = {index_of(k), k};
  return order;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
