// Kernels of orthogonal polynomials. The errors of a recurrence grow with the degree: float32 is
// computed in doubles, float64 in pairs of doubles, and degrees that have other forms in double and
// long double.

#include <ATen/native/common/cpu/Loops.h>
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

// The argument of the shifted polynomials.
template <typename F>
F twice_less_1(F x) {
  return x + x - F(1.0);
}

inline TwoDoubles twice_less_1(ExactDoubles x) { return TwoDoubles(x + x) - TwoDoubles(1.0); }

// In pairs of doubles. Where these overflow, doubles have the sign of infinity.
template <typename F>
Doubles in_pairs(Doubles x, Doubles n, const F& f) {
  const Doubles value = rounded(f(ExactDoubles{x}, n));
  const Lanes finite = is_finite(value);
  return any(!finite) ? where(finite, value, f(x, n)) : value;
}

// Degrees are cut to whole numbers; those below 0, those that no integer holds, and no numbers,
// give 0.
template <typename T, typename F>
void polynomial_of(TensorIteratorBase& iter, const F& f) {
  cpu_kernel_vec(iter, [f](Vec<T> x, Vec<T> n) -> Vec<T> {
    const auto has_value = (n > Vec<T>(T(-1))) & (n < Vec<T>(T(9e18))),
               has_form = n > Vec<T>(T(kMaxSteps));
    const Vec<T> degree = where(has_value & !has_form, n, Vec<T>(T(0)));
    Vec<T> result;
    if constexpr (std::is_same_v<T, double>) result = in_pairs(x, trunc(degree), f);
    else result = by_doubles(x, degree, [f](Doubles a, Doubles b) { return f(a, trunc(b)); });
    if (any(has_form)) {
      using Wide = std::conditional_t<std::is_same_v<T, double>, long double, double>;
      for (int64_t i = 0; i < Vec<T>::size; ++i)
        if (has_form[i] && has_value[i]) {
          const auto degree_i = static_cast<int64_t>(n.v[i]);
          result.v[i] = static_cast<T>(f(static_cast<Wide>(x.v[i]), degree_i));
        }
    }
    return where(has_value, result, Vec<T>(T(0)));
  }, kGrainSize / 64);
}

template <typename F>
void polynomial(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op,
                                [&]<typename T>(TypeTag<T>) { polynomial_of<T>(iter, f); });
}

}  // namespace

static void special_chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "chebyshev_polynomial_t_cpu", [](auto x, auto n) { return chebyshev_t(x, n); });
}
static void special_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "chebyshev_polynomial_u_cpu", [](auto x, auto n) { return chebyshev_u(x, n); });
}
static void special_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "chebyshev_polynomial_v_cpu", [](auto x, auto n) { return chebyshev_v(x, n); });
}
static void special_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "chebyshev_polynomial_w_cpu", [](auto x, auto n) { return chebyshev_w(x, n); });
}
static void special_hermite_polynomial_h_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "hermite_polynomial_h_cpu", [](auto x, auto n) { return hermite_h(x, n); });
}
static void special_hermite_polynomial_he_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "hermite_polynomial_he_cpu", [](auto x, auto n) { return hermite_he(x, n); });
}
static void special_laguerre_polynomial_l_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "laguerre_polynomial_l_cpu", [](auto x, auto n) { return laguerre_l(x, n); });
}
static void special_legendre_polynomial_p_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "legendre_polynomial_p_cpu", [](auto x, auto n) { return legendre_p(x, n); });
}
static void special_shifted_chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_t_cpu",
             [](auto x, auto n) { return chebyshev_t(twice_less_1(x), n); });
}
static void special_shifted_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_u_cpu",
             [](auto x, auto n) { return chebyshev_u(twice_less_1(x), n); });
}
static void special_shifted_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_v_cpu",
             [](auto x, auto n) { return chebyshev_v(twice_less_1(x), n); });
}
static void special_shifted_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_w_cpu",
             [](auto x, auto n) { return chebyshev_w(twice_less_1(x), n); });
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
