// One pass over a parameter, its gradient and its state: every element is read and written once.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/optim/optim.h>

#include <cmath>
#include <type_traits>

namespace at::native {
namespace {

template <typename T>
using Opmath = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
void sgd(const SgdStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ buf,
         int64_t n) {
  using O = Opmath<T>;
  const O lr = static_cast<O>(s.lr), mu = static_cast<O>(s.momentum),
          keep = static_cast<O>(1 - s.dampening), decay = static_cast<O>(s.weight_decay);
  const O sign = s.maximize ? O(-1) : O(1);
  if (!buf) {
    for (int64_t i = 0; i < n; ++i) {
      O w = static_cast<O>(p[i]);
      p[i] = static_cast<T>(w - lr * (sign * static_cast<O>(g[i]) + decay * w));
    }
    return;
  }
  const bool first = s.first, nesterov = s.nesterov;
  for (int64_t i = 0; i < n; ++i) {
    O w = static_cast<O>(p[i]);
    O d = sign * static_cast<O>(g[i]) + decay * w;
    O m = first ? d : mu * static_cast<O>(buf[i]) + keep * d;
    buf[i] = static_cast<T>(m);
    p[i] = static_cast<T>(w - lr * (nesterov ? d + mu * m : m));
  }
}

template <typename T>
void adagrad(const AdagradStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ sum,
             int64_t n) {
  using O = Opmath<T>;
  const O rate = static_cast<O>(s.rate), decay = static_cast<O>(s.weight_decay),
          eps = static_cast<O>(s.eps), sign = s.maximize ? O(-1) : O(1);
  for (int64_t i = 0; i < n; ++i) {
    const O w = static_cast<O>(p[i]);
    const O d = sign * static_cast<O>(g[i]) + decay * w;
    const O total = static_cast<O>(sum[i]) + d * d;
    sum[i] = static_cast<T>(total);
    p[i] = static_cast<T>(w - rate * d / (std::sqrt(total) + eps));
  }
}

template <typename T, bool Largest>
void adam(const AdamStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ mean,
          T* __restrict__ square, T* __restrict__ largest, int64_t n) {
  using O = Opmath<T>;
  const O w1 = static_cast<O>(1 - s.beta1), b2 = static_cast<O>(s.beta2),
          w2 = static_cast<O>(1 - s.beta2), eps = static_cast<O>(s.eps);
  const O size = static_cast<O>(s.lr / (1 - std::pow(s.beta1, s.step)));
  const O root = static_cast<O>(std::sqrt(1 - std::pow(s.beta2, s.step)));
  const O shrink = s.decoupled ? static_cast<O>(1 - s.lr * s.weight_decay) : O(1);
  const O decay = s.decoupled ? O(0) : static_cast<O>(s.weight_decay);
  const O sign = s.maximize ? O(-1) : O(1);
  for (int64_t i = 0; i < n; ++i) {
    O w = static_cast<O>(p[i]) * shrink;
    O d = sign * static_cast<O>(g[i]) + decay * w;
    O m = static_cast<O>(mean[i]);
    m = m + w1 * (d - m);
    O v = static_cast<O>(square[i]) * b2 + w2 * d * d;
    mean[i] = static_cast<T>(m);
    square[i] = static_cast<T>(v);
    if constexpr (Largest) {
      O l = static_cast<O>(largest[i]);
      v = l > v ? l : v;
      largest[i] = static_cast<T>(v);
    }
    p[i] = static_cast<T>(w - size * m / (std::sqrt(v) / root + eps));
  }
}

}  // namespace

static void sgd_step(const SgdStep& s, ScalarType dtype, void* p, const void* g, void* momentum,
                     int64_t n) {
  dispatch_types<FloatingAndReduced>(dtype, "_fused_sgd_", [&]<typename T>(TypeTag<T>) {
    sgd(s, static_cast<T*>(p), static_cast<const T*>(g), static_cast<T*>(momentum), n);
  });
}

static void adagrad_step(const AdagradStep& s, ScalarType dtype, void* p, const void* g, void* sum,
                         int64_t n) {
  dispatch_types<FloatingAndReduced>(dtype, "_fused_adagrad_", [&]<typename T>(TypeTag<T>) {
    adagrad(s, static_cast<T*>(p), static_cast<const T*>(g), static_cast<T*>(sum), n);
  });
}

static void adam_step(const AdamStep& s, ScalarType dtype, void* p, const void* g, void* mean,
                      void* square, void* largest, int64_t n) {
  dispatch_types<FloatingAndReduced>(dtype, "_fused_adam_", [&]<typename T>(TypeTag<T>) {
    auto run = s.amsgrad ? adam<T, true> : adam<T, false>;
    run(s, static_cast<T*>(p), static_cast<const T*>(g), static_cast<T*>(mean),
        static_cast<T*>(square), static_cast<T*>(largest), n);
  });
}

REGISTER_DISPATCH(sgd_step_stub, &sgd_step)
REGISTER_DISPATCH(adagrad_step_stub, &adagrad_step)
REGISTER_DISPATCH(adam_step_stub, &adam_step)

}  // namespace at::native
