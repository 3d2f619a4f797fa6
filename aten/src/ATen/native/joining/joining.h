#pragma once
// The kernel of cat.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Empty vectors can be joined with any tensor.
inline bool is_skipped(const Tensor& t) { return t.dim() == 1 && t.sizes()[0] == 0; }

// Joins along `dim`. Every tensor that is not skipped is contiguous and has the type of `out`.
DECLARE_DISPATCH(void (*)(const Tensor& out, TensorList tensors, int64_t dim), cat_runs_stub);

}  // namespace at::native
