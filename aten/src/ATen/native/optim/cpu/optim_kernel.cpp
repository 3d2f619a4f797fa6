// One pass over a parameter, its gradient and its state: every element is read and written once.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/WideBlocks.h>
#include <ATen/native/optim/optim.h>
#include <ATen/native/optim/steps.h>

namespace at::native {
namespace {

template <typename T>
void sgd(const SgdStep& s, T* weights, const T* gradients, T* momentum, int64_t n) {
  using O = SumType<T>;
  const SgdElement<O> step(s);
  if (!momentum) {
    const auto loop = [step](int64_t count, O* __restrict p, const O* __restrict g) {
      for (int64_t i = 0; i < count; ++i) step(p[i], g[i]);
    };
    return by_wide_blocks(n, loop, weights, gradients);
  }
  const auto loop = [step](int64_t count, O* __restrict p, const O* __restrict g,
                           O* __restrict buf) {
    for (int64_t i = 0; i < count; ++i) step(p[i], g[i], buf[i]);
  };
  by_wide_blocks(n, loop, weights, gradients, momentum);
}

template <typename T>
void adagrad(const AdagradStep& s, T* weights, const T* gradients, T* sums, int64_t n) {
  using O = SumType<T>;
  const AdagradElement<O> step(s);
  const auto loop = [step](int64_t count, O* __restrict p, const O* __restrict g,
                           O* __restrict sum) {
    for (int64_t i = 0; i < count; ++i) step(p[i], g[i], sum[i]);
  };
  by_wide_blocks(n, loop, weights, gradients, sums);
}

template <typename T>
void adam(const AdamStep& s, T* weights, const T* gradients, T* means, T* squares, T* largest,
          int64_t n) {
  using O = SumType<T>;
  const AdamElement<O> step(s);
  const AdamRate<O> rate = adam_rate<O>(s, s.step);
  if (!largest) {
    const auto loop = [step, rate](int64_t count, O* __restrict p, const O* __restrict g,
                                   O* __restrict mean, O* __restrict square) {
      for (int64_t i = 0; i < count; ++i) step(rate, p[i], g[i], mean[i], square[i], nullptr);
    };
    return by_wide_blocks(n, loop, weights, gradients, means, squares);
  }
  const auto loop = [step, rate](int64_t count, O* __restrict p, const O* __restrict g,
                                 O* __restrict mean, O* __restrict square, O* __restrict max) {
    for (int64_t i = 0; i < count; ++i) step(rate, p[i], g[i], mean[i], square[i], &max[i]);
  };
  by_wide_blocks(n, loop, weights, gradients, means, squares, largest);
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
    adam(s, static_cast<T*>(p), static_cast<const T*>(g), static_cast<T*>(mean),
         static_cast<T*>(square), s.amsgrad ? static_cast<T*>(largest) : nullptr, n);
  });
}

REGISTER_DISPATCH(sgd_step_stub, &sgd_step)
REGISTER_DISPATCH(adagrad_step_stub, &adagrad_step)
REGISTER_DISPATCH(adam_step_stub, &adam_step)

}  // namespace at::native
