// isin: a scan of few values, a binary search among many.

#include <ATen/native/search/isin.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/BinarySearch.h>
#include <ATen/native/common/TypeDispatch.h>

#include <algorithm>
#include <vector>

namespace at::native {

namespace {

// Halves by their bits: one lookup for each. More of them than the table has entries.
template <typename T>
void isin_halves(const T* in, int64_t n, const T* values, int64_t count, bool invert, bool* to) {
  const auto bits_of = [](T x) { return __builtin_bit_cast(uint16_t, x); };
  std::vector<uint8_t> table(1 << 16, invert);
  for (int64_t k = 0; k < count; ++k) {
    if (values[k] == values[k]) table[bits_of(values[k])] = !invert;  // NaN is equal to nothing
    if (values[k] == T(0)) table[bits_of(T(0))] = table[bits_of(T(-0.f))] = !invert;
  }
  parallel_for(0, n, kGrainSize / 4, [&](int64_t begin, int64_t end) {
    const uint8_t* found = table.data();
    for (int64_t i = begin; i < end; ++i) to[i] = found[bits_of(in[i])] != 0;
  });
}

}  // namespace

static void isin_kernel(const Tensor& elements, const Tensor& values, bool invert,
                        const Tensor& out) {
  const int64_t count = values.numel();
  dispatch_types<RealTypes>(elements.scalar_type(), "isin", [&]<typename T>(TypeTag<T>) {
    const T *in = static_cast<const T*>(elements.data_ptr()),
            *first = static_cast<const T*>(values.data_ptr());
    bool* to = static_cast<bool*>(out.data_ptr());
    if constexpr (is_reduced_float_v<T>) {
      if (elements.numel() > 1 << 16)
        return isin_halves(in, elements.numel(), first, count, invert, to);
    }
    parallel_for(0, elements.numel(), kGrainSize / 16, [&](int64_t begin, int64_t end) {
      if (count <= kFewValues) {
        std::fill(to + begin, to + end, invert);
        for (int64_t k = 0; k < count; ++k) {
          const T v = first[k];
          for (int64_t i = begin; i < end; ++i) to[i] = to[i] != ((in[i] == v) && to[i] == invert);
        }
        return;
      }
      // NaN is equal to nothing. It sorts last, so that the search for numbers ends before it.
      for (int64_t i = begin; i < end; ++i) {
        const T v = in[i];
        const int64_t at = count_before(first, count, [v](const T& a) { return a < v; });
        to[i] = (at < count && first[at] == v) != invert;
      }
    });
  });
}

static void isin_table_kernel(const Tensor& elements, const Tensor& values, int64_t min,
                              int64_t max, bool invert, const Tensor& out) {
  dispatch_types<IntegralTypes>(elements.scalar_type(), "isin", [&]<typename T>(TypeTag<T>) {
    // Differences are unsigned: below the minimum they are larger than the table.
    using U = uint64_t;
    const U base = static_cast<U>(min), count = static_cast<U>(max) - base + 1;
    std::vector<uint8_t> table(count + 1, invert);  // the last one is for all other numbers
    const T *in = static_cast<const T*>(elements.data_ptr()),
            *value = static_cast<const T*>(values.data_ptr());
    uint8_t* to = static_cast<uint8_t*>(out.data_ptr());
    for (int64_t k = 0; k < values.numel(); ++k) table[static_cast<U>(value[k]) - base] = !invert;
    parallel_for(0, elements.numel(), kGrainSize / 4, [&](int64_t begin, int64_t end) {
      const uint8_t* found = table.data();
      for (int64_t i = begin; i < end; ++i)
        to[i] = found[std::min(static_cast<U>(in[i]) - base, count)];
    });
  });
}

REGISTER_DISPATCH(isin_stub, &isin_kernel)
REGISTER_DISPATCH(isin_table_stub, &isin_table_kernel)

}  // namespace at::native
