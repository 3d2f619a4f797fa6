// Indexing under the names that compilers of graphs use. Indices are checked here all the same.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_unsafe_index_native.h>
#include <ATen/ops/_unsafe_index_put_native.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_put.h>

namespace at::native {

Tensor _unsafe_index(const Tensor& self, OptionalTensorList indices) {
  return _ops::index_Tensor::call(self, indices);
}
Tensor _unsafe_index_put(const Tensor& self, OptionalTensorList indices, const Tensor& values,
                         bool accumulate) {
  return at::index_put(self, indices, values, accumulate);
}

}  // namespace at::native
