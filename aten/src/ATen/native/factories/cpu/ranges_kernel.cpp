// Sequences of numbers: arange, linspace, logspace.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/factories/ranges.h>

namespace at::native {
namespace {

// Half of the values are computed from the start and half from the end, so that both ends are
// exact. Integers step in float between whole ends; half types round after every operation.
template <typename F>
void spaced(const Tensor& out, const char* op, const Scalar& start, const Scalar& end,
            const F& map) {
  const int64_t steps = out.numel();
  dispatch_types<NumberTypes, UnsignedTypes>(out.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    using Step = std::conditional_t<std::is_integral_v<T>, float, T>;
    T* p = static_cast<T*>(out.data_ptr());
    const T first = start.cast<T>(), last = end.cast<T>();
    auto rounded = [](auto v) { return static_cast<Step>(v); };
    const Step step =
        steps > 1
            ? rounded(rounded(rounded(last) - rounded(first)) / Step(static_cast<float>(steps - 1)))
            : rounded(0.0f);
    parallel_for(0, steps, kGrainSize / 8, [&](int64_t begin, int64_t finish) {
      for (int64_t i = begin; i < finish; ++i) {
        Step from_start = Step(static_cast<float>(i)),
             from_end = Step(static_cast<float>(steps - i - 1));
        if constexpr (std::is_same_v<Step, double>) {
          from_start = static_cast<double>(i);
          from_end = static_cast<double>(steps - i - 1);
        }
        p[i] = (steps == 1)    ? map(first, Step(first))
               : i < steps / 2 ? map(first, rounded(rounded(first) + rounded(step * from_start)))
                               : map(first, rounded(rounded(last) - rounded(step * from_end)));
      }
    });
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
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          p[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
        } else {
          p[i] = static_cast<T>(first + static_cast<double>(i) * by);
        }
      }
    });
  });
}

static void linspace_kernel(const Tensor& out, const Scalar& start, const Scalar& end) {
  spaced(out, "linspace", start, end,
         [](auto like, auto v) { return static_cast<decltype(like)>(v); });
}

static void logspace_kernel(const Tensor& out, const Scalar& start, const Scalar& end,
                            double base) {
  spaced(out, "logspace", start, end, [base](auto like, auto v) {
    using T = decltype(like);
    if constexpr (is_complex_v<T>) {
      // base^(x + iy) = base^x (cos(y log base) + i sin(y log base))
      double size = std::pow(base, v.real()), angle = v.imag() * std::log(base);
      using V = typename T::value_type;
      return T(static_cast<V>(size * std::cos(angle)), static_cast<V>(size * std::sin(angle)));
    } else {
      using Real = std::conditional_t<std::is_same_v<decltype(v), double>, double, float>;
      return static_cast<T>(std::pow(static_cast<Real>(base), static_cast<Real>(v)));
    }
  });
}

REGISTER_DISPATCH(progression_stub, &progression_kernel)
REGISTER_DISPATCH(linspace_stub, &linspace_kernel)
REGISTER_DISPATCH(logspace_stub, &logspace_kernel)

}  // namespace at::native
