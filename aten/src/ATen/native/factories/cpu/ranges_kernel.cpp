// Sequences of numbers: arange, linspace, logspace.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/factories/ranges.h>
#include <ATen/native/factories/spaced.h>

namespace at::native {
namespace {

template <typename T, typename F>
void fill_vector(const Tensor& out, const F& value) {
  T* p = static_cast<T*>(out.data_ptr());
  parallel_for(0, out.numel(), kGrainSize / 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) p[i] = static_cast<T>(value(i));
  });
}

}  // namespace

static void progression_kernel(const Tensor& out, const Scalar& start, const Scalar& step,
                               const char* op) {
  dispatch_types<RealTypes, UnsignedTypes>(out.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    T* p = static_cast<T*>(out.data_ptr());
    auto wide = [](const Scalar& s) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<uint64_t>(static_cast<int64_t>(s.to<T>()));
      } else {
        return s.to<double>();
      }
    };
    // A step that T cannot represent (-1 in an unsigned type) wraps, as the sum does.
    Wide first = wide(start), by = std::is_integral_v<T> ? static_cast<Wide>(step.to<int64_t>())
                                                         : static_cast<Wide>(step.to<double>());
    parallel_for(0, out.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_integral_v<T>) {
        for (int64_t i = begin; i < end; ++i)
          p[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
      } else {
        // Numbers of 32 bits become doubles in vectors. The sum of both is the element's number.
        constexpr int64_t kBlock = 4096;
        for (int64_t block = begin; block < end; block += kBlock) {
          const auto base = static_cast<double>(block);
          const auto n = static_cast<int32_t>(std::min(kBlock, end - block));
          for (int32_t j = 0; j < n; ++j)
            p[block + j] = static_cast<T>(first + (base + static_cast<double>(j)) * by);
        }
      }
    });
  });
}

static void linspace_kernel(const Tensor& out, const Scalar& start, const Scalar& end) {
  dispatch_types<NumberTypes, UnsignedTypes>(
      out.scalar_type(), "linspace",
      [&]<typename T>(TypeTag<T>) { fill_vector<T>(out, Spaced<T>(start, end, out.numel())); });
}

static void logspace_kernel(const Tensor& out, const Scalar& start, const Scalar& end,
                            double base) {
  dispatch_types<NumberTypes, UnsignedTypes>(out.scalar_type(), "logspace",
                                             [&]<typename T>(TypeTag<T>) {
    fill_vector<T>(out, SpacedPower<T>{Spaced<T>(start, end, out.numel()), base});
  });
}

REGISTER_DISPATCH(progression_stub, &progression_kernel)
REGISTER_DISPATCH(linspace_stub, &linspace_kernel)
REGISTER_DISPATCH(logspace_stub, &logspace_kernel)

}  // namespace at::native
