#pragma once
// The kernel of embedding's gradient.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// result[rows[i]] += grad[i], for each i. `result` is zero before; grad: (n, width), rows: n long
// numbers. All are contiguous.
DECLARE_DISPATCH(void (*)(const Tensor& grad, const Tensor& rows, const Tensor& result),
                 embedding_gradient_stub);

}  // namespace at::native
