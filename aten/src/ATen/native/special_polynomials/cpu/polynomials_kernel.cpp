// Kernels of orthogonal polynomials. The errors of a recurrence grow with the degree: float32 is
// computed in doubles, float64 with compensation, and degrees that have other forms in double and
// long double.

#include <limits>
#include <type_traits>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/RareLanes.h>
#include <ATen/native/special_polynomials/cpu/polynomial_vectors.h>
#include <ATen/ops/special_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_chebyshev_polynomial_w_native.h>
#include <ATen/ops/special_hermite_polynomial_h_native.h>
#include <ATen/ops/special_hermite_polynomial_he_native.h>
#include <ATen/ops/special_laguerre_polynomial_l_native.h>
#include <ATen/ops/special_legendre_polynomial_p_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_native.h>

namespace at::native {
namespace {

// trunc(n) for -1 < n < 2^51.
inline Nearest whole(Doubles n) {
  const Doubles positive = max(n, Doubles(0.0)), nearest = Nearest(positive).value;
  return Nearest(where(nearest > positive, nearest - 1.0, nearest));
}
// Its lowest bits.
inline Doubles::Mask whole_bits(Doubles n) {
#if defined(__AVX512F__)
  return __builtin_convertvector(n.v, Doubles::Mask);
#else
  return whole(n).bits;
#endif
}

// The degree of all lanes, if it is one from 0 to 9; else a negative number.
inline int common_degree(Doubles n) {
  const double first = n.v[0];
  return first > -1 && !any(n != Doubles(first)) ? static_cast<int>(first) : -1;
}

// p[n](x), for degrees up to 9 if they are small, else up to kMaxSteps. Lanes of other degrees have
// any values.
template <typename Family, typename X>
C10_ALWAYS_INLINE Doubles values(X x, Doubles n, bool small) {
  if (small) {
    const int degree = common_degree(n);
    return degree < 0 ? by_powers<Family>(x, whole_bits(n)) : by_powers<Family>(x, degree);
  }
  const auto usual = n < Doubles(static_cast<double>(kMaxSteps + 1));
  return rounded(Family::by_steps(x, whole(where(usual, n, Doubles(0.0))).value));
}
template <typename Family>
C10_ALWAYS_INLINE Doubles values_of(Doubles x, Doubles n, bool small) {
  return values<Family>(ExactDoubles{x}, n, small);
}
template <typename Family>
C10_ALWAYS_INLINE Vec<float> values_of(Vec<float> x, Vec<float> n, bool small) {
  return by_doubles(x, n, [small](Doubles a, Doubles b) __attribute__((always_inline)) {
    return values<Family>(a, b, small);
  });
}

// One number, for any degree. Degrees below 0, those that no integer holds, and no numbers, give 0.
template <typename Family, typename T>
T one_value(T x, T n) {
  if (!(n > T(-1) && n < T(9e18))) return 0;
  const auto degree = static_cast<int64_t>(n);
  using Form = std::conditional_t<std::is_same_v<T, double>, long double, double>;
  return static_cast<T>(degree > kMaxSteps
                            ? static_cast<double>(Family::one(static_cast<Form>(x), degree))
                            : Family::one(static_cast<double>(x), degree));
}
// Lanes of large degrees, and overflows: recurrences of single numbers know their sign. Kept out of
// the loop, which then needs no memory for its registers.
template <typename Family, typename T>
C10_NOINLINE Vec<T> with_other_lanes(Vec<T> x, Vec<T> n, Vec<T> value,
                                     typename Vec<T>::Mask other) {
  return with_rare_lanes<T>(other, value,
                            [&](int64_t i) { return one_value<Family>(T(x.v[i]), T(n.v[i])); });
}

template <typename Family>
void polynomial(TensorIteratorBase& iter, const char* op) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> n) -> Vec<T> {
      const auto usual = (n > Vec<T>(T(-1))) & (n < Vec<T>(T{kMaxSteps + 1}));
      const bool small = !any(n >= Vec<T>(T{kSmallDegrees}));
      const Vec<T> value = values_of<Family>(x, n, small);
      const auto other = ~(usual & (abs(value) < Vec<T>(std::numeric_limits<T>::infinity())));
      return C10_LIKELY(!any(other)) ? value : with_other_lanes<Family>(x, n, value, other);
    }, kGrainSize / 64);
  });
}

}  // namespace

static void special_chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial<ChebyshevT>(iter, "chebyshev_polynomial_t_cpu");
}
static void special_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial<ChebyshevU>(iter, "chebyshev_polynomial_u_cpu");
}
static void special_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial<ChebyshevV>(iter, "chebyshev_polynomial_v_cpu");
}
static void special_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial<ChebyshevW>(iter, "chebyshev_polynomial_w_cpu");
}
static void special_hermite_polynomial_h_kernel(TensorIteratorBase& iter) {
  polynomial<HermiteH>(iter, "hermite_polynomial_h_cpu");
}
static void special_hermite_polynomial_he_kernel(TensorIteratorBase& iter) {
  polynomial<HermiteHe>(iter, "hermite_polynomial_he_cpu");
}
static void special_laguerre_polynomial_l_kernel(TensorIteratorBase& iter) {
  polynomial<LaguerreL>(iter, "laguerre_polynomial_l_cpu");
}
static void special_legendre_polynomial_p_kernel(TensorIteratorBase& iter) {
  polynomial<LegendreP>(iter, "legendre_polynomial_p_cpu");
}
static void special_shifted_chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial<Shifted<ChebyshevT>>(iter, "shifted_chebyshev_polynomial_t_cpu");
}
static void special_shifted_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial<Shifted<ChebyshevU>>(iter, "shifted_chebyshev_polynomial_u_cpu");
}
static void special_shifted_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial<Shifted<ChebyshevV>>(iter, "shifted_chebyshev_polynomial_v_cpu");
}
static void special_shifted_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial<Shifted<ChebyshevW>>(iter, "shifted_chebyshev_polynomial_w_cpu");
}

REGISTER_DISPATCH(special_chebyshev_polynomial_t_stub, &special_chebyshev_polynomial_t_kernel)
REGISTER_DISPATCH(special_chebyshev_polynomial_u_stub, &special_chebyshev_polynomial_u_kernel)
REGISTER_DISPATCH(special_chebyshev_polynomial_v_stub, &special_chebyshev_polynomial_v_kernel)
REGISTER_DISPATCH(special_chebyshev_polynomial_w_stub, &special_chebyshev_polynomial_w_kernel)
REGISTER_DISPATCH(special_hermite_polynomial_h_stub, &special_hermite_polynomial_h_kernel)
REGISTER_DISPATCH(special_hermite_polynomial_he_stub, &special_hermite_polynomial_he_kernel)
REGISTER_DISPATCH(special_laguerre_polynomial_l_stub, &special_laguerre_polynomial_l_kernel)
REGISTER_DISPATCH(special_legendre_polynomial_p_stub, &special_legendre_polynomial_p_kernel)
REGISTER_DISPATCH(special_shifted_chebyshev_polynomial_t_stub,
                  &special_shifted_chebyshev_polynomial_t_kernel)
REGISTER_DISPATCH(special_shifted_chebyshev_polynomial_u_stub,
                  &special_shifted_chebyshev_polynomial_u_kernel)
REGISTER_DISPATCH(special_shifted_chebyshev_polynomial_v_stub,
                  &special_shifted_chebyshev_polynomial_v_kernel)
REGISTER_DISPATCH(special_shifted_chebyshev_polynomial_w_stub,
                  &special_shifted_chebyshev_polynomial_w_kernel)

}  // namespace at::native
