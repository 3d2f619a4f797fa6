// One pass over a parameter, its gradient and its state: every element is read and written once.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/optim/optim.h>
#include <ATen/native/optim/steps.h>

#include <type_traits>

namespace at::native {
namespace {

template <typename T>
using Opmath = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
void sgd(const SgdStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ buf,
         int64_t n) {
  using O = Opmath<T>;
  const SgdElement<O> step(s);
  if (!buf) {
    for (int64_t i = 0; i < n; ++i) {
      O w = static_cast<O>(p[i]);
      step(w, static_cast<O>(g[i]));
      p[i] = static_cast<T>(w);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    O w = static_cast<O>(p[i]), m = static_cast<O>(buf[i]);
    step(w, static_cast<O>(g[i]), m);
    buf[i] = static_cast<T>(m);
    p[i] = static_cast<T>(w);
  }
}

template <typename T>
void adagrad(const AdagradStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ sum,
             int64_t n) {
  using O = Opmath<T>;
  const AdagradElement<O> step(s);
  for (int64_t i = 0; i < n; ++i) {
    O w = static_cast<O>(p[i]), total = static_cast<O>(sum[i]);
    step(w, static_cast<O>(g[i]), total);
    sum[i] = static_cast<T>(total);
    p[i] = static_cast<T>(w);
  }
}

template <typename T, bool Largest>
void adam(const AdamStep& s, T* __restrict__ p, const T* __restrict__ g, T* __restrict__ mean,
          T* __restrict__ square, T* __restrict__ largest, int64_t n) {
  using O = Opmath<T>;
  const AdamElement<O> step(s);
  const AdamRate<O> rate = adam_rate<O>(s, s.step);
  for (int64_t i = 0; i < n; ++i) {
    O w = static_cast<O>(p[i]), m = static_cast<O>(mean[i]), v = static_cast<O>(square[i]);
    if constexpr (Largest) {
      O l = static_cast<O>(largest[i]);
      step(rate, w, static_cast<O>(g[i]), m, v, &l);
      largest[i] = static_cast<T>(l);
    } else {
      step(rate, w, static_cast<O>(g[i]), m, v, nullptr);
    }
    mean[i] = static_cast<T>(m);
    square[i] = static_cast<T>(v);
    p[i] = static_cast<T>(w);
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
