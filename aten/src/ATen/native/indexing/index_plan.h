#pragma once
// Prepares reads and writes of x[i, :, j]: masks become indices, index tensors are broadcast to one
// shape and converted to byte offsets.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

struct IndexPlan {
  // On the meta device only the shape is computed.
  IndexPlan(const Tensor& self, OptionalTensorList indices, const char* op);

  DimVector result_sizes;
  // The strides of the indexed tensor in the shape of the result; dimensions of the index tensors
  // have stride 0.
  DimVector strides;
  Tensor offsets;  // long, bytes, of the shape of the index tensors, padded with dimensions of size
                   // 1 to result_sizes
};

// `indexed` is the indexed tensor in the shape of the result: IndexPlan::strides.
// result = indexed[offsets]
DECLARE_DISPATCH(void (*)(const Tensor& result, const Tensor& indexed, const Tensor& offsets),
                 index_elements_stub);
// indexed[offsets] = values
DECLARE_DISPATCH(void (*)(const Tensor& indexed, const Tensor& values, const Tensor& offsets),
                 index_put_elements_stub);
// indexed[offsets] += values, also where offsets repeat. A stride of 0 marks an index dimension.
DECLARE_DISPATCH(void (*)(const Tensor& indexed, const Tensor& values, const Tensor& offsets,
                          IntArrayRef strides),
                 accumulate_elements_stub);
// Writes (first) or adds the byte offsets of an index tensor that has the plan's shape. Throws for
// an index outside of [-size, size).
struct IndexedDim {
  int64_t dim, size, byte_stride;
};
DECLARE_DISPATCH(void (*)(const Tensor& offsets, const Tensor& index, const IndexedDim& d,
                          bool first),
                 add_index_offsets_stub);

}  // namespace at::native
