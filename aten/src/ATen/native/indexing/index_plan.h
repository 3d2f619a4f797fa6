#pragma once
// What x[i, :, j] reads or writes, worked out: masks become positions, index tensors take one
// shape, and byte offsets replace them.

#include <ATen/core/Tensor.h>

namespace at::native {

struct IndexPlan {
  // On the meta device only the shape is worked out.
  IndexPlan(const Tensor& self, OptionalTensorList indices, const char* op);

  DimVector result_sizes;
  // The indexed tensor in the shape of the result; dimensions of the index tensors have stride 0.
  DimVector strides;
  Tensor offsets;  // long, bytes, of the shape of the index tensors, padded with dimensions of size
                   // 1 to result_sizes
};

}  // namespace at::native
