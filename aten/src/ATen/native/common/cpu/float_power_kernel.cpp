// Powers of floats, computed in double, with errors of 1e-12 before they are rounded.

#include <limits>

#include <ATen/native/common/cpu/BinaryPowers.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
Vec<float> pow(Vec<float> x, Vec<float> y) {
  using F = Vec<float>;
  constexpr float inf = std::numeric_limits<float>::infinity();
  const F size = abs(x);
  F power = by_doubles(size, y, [](Doubles a, Doubles e) {
    // Where a float is 0 or infinite. NaN becomes the lower end.
    Doubles z = binary_logarithm(a) * e;
    z = where(z > Doubles(-200.0), z, Doubles(-200.0));
    return binary_exponential(where(z < Doubles(200.0), z, Doubles(200.0)));
  });
  const auto zero = x == F(0.0f);
  if (any(zero)) {
    const F of_zero = where(y > F(0.0f), F(0.0f), where(y < F(0.0f), F(inf), F(1.0f)));
    power = where(zero, of_zero, power);
  }
  if (const auto negative = F::Mask(x.v) < 0; any(negative)) {
    const F half = y * F(0.5f), whole = floor(y), nan(std::numeric_limits<float>::quiet_NaN());
    power = where(negative & (whole == y) & (floor(half) != half), -power, power);
    power = where((x < F(0.0f)) & (whole != y), nan, power);
  }
  const auto finite = (size < F(inf)) & (abs(y) < F(inf));
  return C10_UNLIKELY(any(~finite)) ? where(finite, power, checked_pow(x, y)) : power;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
