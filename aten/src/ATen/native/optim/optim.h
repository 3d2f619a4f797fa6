#pragma once
// The inner loops of the optimizers: n elements of a parameter and its state, dense and in the same
// order.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

struct SgdStep {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, maximize, first;
};
struct AdagradStep {
  double rate, eps, weight_decay;  // rate: the learning rate after its decay
  bool maximize;
};
struct AdamStep {
  double lr, beta1, beta2, eps, weight_decay;
  double step;  // counted from 1
  bool amsgrad, maximize, decoupled;
};

// `momentum` may be null; `largest` is null unless amsgrad is set.
DECLARE_DISPATCH(void (*)(const SgdStep&, ScalarType, void* p, const void* g, void* momentum,
                          int64_t n),
                 sgd_step_stub);
DECLARE_DISPATCH(void (*)(const AdagradStep&, ScalarType, void* p, const void* g, void* sum,
                          int64_t n),
                 adagrad_step_stub);
DECLARE_DISPATCH(void (*)(const AdamStep&, ScalarType, void* p, const void* g, void* mean,
                          void* square, void* largest, int64_t n),
                 adam_step_stub);

}  // namespace at::native
