#pragma once
// The elements of linspace and logspace, for the CPU and CUDA kernels.

#include <cmath>
#include <type_traits>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/TypeDispatch.h>
#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Half of the values are computed from the start and half from the end, so that both ends are
// exact. Integers step in float between whole ends; half types round after every operation.
template <typename T>
struct Spaced {
  using Step = std::conditional_t<std::is_integral_v<T>, float, T>;

  Step first, last, step;
  int64_t steps;

  Spaced(const Scalar& start, const Scalar& end, int64_t n)
      : first(static_cast<Step>(start.cast<T>())),
        last(static_cast<Step>(end.cast<T>())),
        step(n > 1 ? static_cast<Step>(static_cast<Step>(last - first) /
                                       Step(static_cast<float>(n - 1)))
                   : Step(0.0f)),
        steps(n) {}
  C10_HOST_DEVICE static Step count(int64_t n) {
    if constexpr (std::is_same_v<Step, double>) return static_cast<double>(n);
    else return Step(static_cast<float>(n));
  }
  C10_HOST_DEVICE Step operator()(int64_t i) const {
    if (steps == 1) return first;
    if (i < steps / 2) return static_cast<Step>(first + static_cast<Step>(step * count(i)));
    return static_cast<Step>(last - static_cast<Step>(step * count(steps - i - 1)));
  }
};

template <typename T>
struct SpacedPower {
  Spaced<T> exponents;
  double base;

  C10_HOST_DEVICE T operator()(int64_t i) const {
    const auto v = exponents(i);
    if constexpr (is_complex_v<T>) {
      // base^(x + iy) = base^x (cos(y log base) + i sin(y log base))
      const double size = std::pow(base, static_cast<double>(v.real()));
      const double angle = static_cast<double>(v.imag()) * std::log(base);
      using V = typename T::value_type;
      return T(static_cast<V>(size * std::cos(angle)), static_cast<V>(size * std::sin(angle)));
    } else {
      using Real =
          std::conditional_t<std::is_same_v<std::decay_t<decltype(v)>, double>, double, float>;
      return static_cast<T>(std::pow(static_cast<Real>(base), static_cast<Real>(v)));
    }
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
