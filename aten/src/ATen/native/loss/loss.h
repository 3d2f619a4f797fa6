#pragma once
// Elementwise losses: their names and kernels.

#include <ATen/native/common/DispatchStub.h>

namespace at {
class TensorIteratorBase;
}

namespace at::native {

enum class Reduction : int64_t { None = 0, Mean = 1, Sum = 2 };

// With d = x - t:
//   mse          d^2
//   smooth_l1    |d| < p ? d^2 / 2p : |d| - p/2
//   huber        |d| <= p ? d^2 / 2 : p (|d| - p/2)
//   soft_margin  log(1 + exp(-t x))
//   bce          -t log x - (1 - t) log(1 - x), each logarithm at least -100
//   bce_logits   the same of sigmoid(x): (1 - t) x + max(-x, 0) + log(1 + exp(-|x|)); forward only
enum class LossKind : uint8_t { mse, smooth_l1, huber, soft_margin, bce, bce_logits };

// out = loss(x, t)
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, LossKind, double parameter), loss_stub);
// out = g * scale * d loss / d x, from x, t and g
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, LossKind, double parameter, double scale),
                 loss_backward_stub);

}  // namespace at::native
