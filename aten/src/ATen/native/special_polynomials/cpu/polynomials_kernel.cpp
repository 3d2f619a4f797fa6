// Kernels of orthogonal polynomials. The errors of a recurrence grow with the degree: float64 is
// computed in long double, and float32 in vectors of doubles.

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

// Degrees are cut to whole numbers; those below 0, and no numbers, give 0.
template <typename Wide, typename T, typename F>
T one_polynomial(T x, T n, const F& f) {
  if (!(n > -1 && n < T(9e18))) return 0;
  return static_cast<T>(f(static_cast<Wide>(x), static_cast<int64_t>(n)));
}

template <typename F>
void polynomial(TensorIteratorBase& iter, const char* op, const F& f) {
  if (iter.common_dtype() == kFloat) {
    cpu_kernel_vec(iter, [f](Vec<float> x, Vec<float> n) -> Vec<float> {
      const auto has_form = !((n > Vec<float>(-1.0f)) & (n <= Vec<float>(float(kMaxSteps))));
      if (!any(has_form)) {
        return by_doubles(x, n, [f](Doubles a, Doubles b) { return f(a, trunc(b)); });
      }
      for (int64_t i = 0; i < Vec<float>::size; ++i)
        x.v[i] = one_polynomial<double>(x.v[i], n.v[i], f);
      return x;
    }, kGrainSize / 64);
    return;
  }
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [f](T x, T n) -> T { return one_polynomial<long double>(x, n, f); },
               kGrainSize / 64);
  });
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
             [](auto x, auto n) { return chebyshev_t(2 * x - 1, n); });
}
static void special_shifted_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_u_cpu",
             [](auto x, auto n) { return chebyshev_u(2 * x - 1, n); });
}
static void special_shifted_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_v_cpu",
             [](auto x, auto n) { return chebyshev_v(2 * x - 1, n); });
}
static void special_shifted_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial(iter, "shifted_chebyshev_polynomial_w_cpu",
             [](auto x, auto n) { return chebyshev_w(2 * x - 1, n); });
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
