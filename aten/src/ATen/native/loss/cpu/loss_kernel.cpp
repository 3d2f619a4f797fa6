// Elementwise losses and their derivatives.

#include <cmath>

#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/loss/loss.h>
#include <ATen/native/loss/loss_functions.h>

namespace at::native {
namespace {

template <typename T>
void check_unit(Vec<T> x, const char* what) {
  const auto good = (x >= Vec<T>(T(0))) & (x <= Vec<T>(T(1)));
  TORCH_CHECK(!any(~good), "all elements of ", what, " should be between 0 and 1");
}

}  // namespace

static void loss_kernel(TensorIteratorBase& iter, LossKind kind, double parameter) {
  dispatch_floating(iter.common_dtype(), "loss", [&]<typename T>(TypeTag<T>) {
    const T p = static_cast<T>(parameter);
    switch (kind) {
      case LossKind::mse:
        cpu_kernel_halves(iter, [](T x, T t) -> T { return loss::mse(x, t); });
        break;
      case LossKind::smooth_l1:
        cpu_kernel(iter, [p](T x, T t) -> T { return loss::smooth_l1(x, t, p); });
        break;
      case LossKind::huber:
        cpu_kernel(iter, [p](T x, T t) -> T { return loss::huber(x, t, p); });
        break;
      case LossKind::soft_margin:
        // log(1 + exp(z)) = max(z, 0) + log1p(exp(-|z|)): does not overflow.
        cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> t) {
          Vec<T> z = -(x * t);
          return where(z > Vec<T>(T(0)), z, Vec<T>(T(0))) + log1p(exp(-abs(z)));
        });
        break;
      case LossKind::bce:
        cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> t) {
          check_unit(x, "input");
          check_unit(t, "target");
          const Vec<T> min(T(-100));
          Vec<T> a = log(x), b = log1p(-x);
          a = where(a < min, min, a);
          b = where(b < min, min, b);
          return (t - Vec<T>(T(1))) * b - t * a;
        });
        break;
      case LossKind::bce_logits:
        cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> t) {
          const Vec<T> zero(T(0));
          return (Vec<T>(T(1)) - t) * x + where(x < zero, -x, zero) + log1p(exp(-abs(x)));
        });
        break;
    }
  });
}

static void loss_backward_kernel(TensorIteratorBase& iter, LossKind kind, double parameter,
                                 double scale) {
  dispatch_floating(iter.common_dtype(), "loss_backward", [&]<typename T>(TypeTag<T>) {
    const T p = static_cast<T>(parameter), s = static_cast<T>(scale);
    switch (kind) {
      case LossKind::mse: {
        const T twice = static_cast<T>(2 * scale);
        cpu_kernel_halves(iter, [twice](T x, T t, T g) -> T { return twice * (x - t) * g; });
        break;
      }
      case LossKind::smooth_l1:
        cpu_kernel_vec_halves(iter, [p, s](Vec<T> x, Vec<T> t, Vec<T> g) -> Vec<T> {
          return loss::smooth_l1_slope(x, t, p) * s * g;
        });
        break;
      case LossKind::huber:
        cpu_kernel_vec_halves(iter, [p, s](Vec<T> x, Vec<T> t, Vec<T> g) -> Vec<T> {
          return loss::huber_slope(x, t, p) * s * g;
        });
        break;
      case LossKind::soft_margin:
        cpu_kernel_vec(iter, [s](Vec<T> x, Vec<T> t, Vec<T> g) {
          Vec<T> z = exp(-(x * t));
          // z / (1 + z), where z may be infinite
          return -(t * g * Vec<T>(s)) *
                 where(z > Vec<T>(T(1e15)), Vec<T>(T(1)), z / (Vec<T>(T(1)) + z));
        });
        break;
      case LossKind::bce:
        cpu_kernel(iter, [s](T x, T t, T g) -> T { return s * g * loss::bce_slope(x, t); });
        break;
      case LossKind::bce_logits:
        break;
    }
  });
}

REGISTER_DISPATCH(loss_stub, &loss_kernel)
REGISTER_DISPATCH(loss_backward_stub, &loss_backward_kernel)

}  // namespace at::native
