// asinh and acosh of floats: logarithms in double, whose errors are rounded away.

#include <limits>

#include <ATen/native/common/cpu/BinaryPowers.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

Vec<float> asinh(Vec<float> x) {
  const Vec<float> size = abs(x);
  const Vec<float> found = by_doubles(size, [](Doubles a) {
    const Doubles square = a * a;
    const Doubles far = binary_logarithm(a + inline_sqrt(square + 1.0)) * M_LN2;
    // Two terms of the series, where the sum is too near to 1.
    return where(a < Doubles(1e-4), a - a * square * (1.0 / 6), far);
  });
  return where(size < Vec<float>(kInf), copysign(found, x), x);
}

Vec<float> acosh(Vec<float> x) {
  const Vec<float> found = by_doubles(
      x, [](Doubles a) { return binary_logarithm(a + inline_sqrt(a * a - 1.0)) * M_LN2; });
  const Vec<float> nan(std::numeric_limits<float>::quiet_NaN());
  return where(x >= Vec<float>(1.0f), where(x < Vec<float>(kInf), found, x), nan);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
