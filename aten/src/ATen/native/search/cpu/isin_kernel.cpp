// isin: a scan of few values, a binary search among many.

#include <ATen/native/search/isin.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/BinarySearch.h>
#include <ATen/native/common/TypeDispatch.h>

#include <algorithm>

namespace at::native {

// Below this many values, comparing with all of them vectorizes and wins.
constexpr int64_t kFewValues = 16;

static void isin_kernel(const Tensor& elements, const Tensor& values, bool invert,
                        const Tensor& out) {
  const int64_t count = values.numel();
  dispatch_types<RealTypes>(elements.scalar_type(), "isin", [&]<typename T>(TypeTag<T>) {
    const T *in = static_cast<const T*>(elements.data_ptr()),
            *first = static_cast<const T*>(values.data_ptr());
    bool* to = static_cast<bool*>(out.data_ptr());
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
REGISTER_DISPATCH(isin_stub, &isin_kernel)

}  // namespace at::native
