// Indexing under the names that compilers of graphs use. Indices are checked here all the same.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_index_put_impl_native.h>
#include <ATen/ops/_unsafe_index_native.h>
#include <ATen/ops/_unsafe_index_put_native.h>
#include <ATen/ops/_unsafe_masked_index_native.h>
#include <ATen/ops/_unsafe_masked_index_put_accumulate_native.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/mul.h>

namespace at::native {

Tensor _unsafe_index(const Tensor& self, OptionalTensorList indices) {
  return _ops::index_Tensor::call(self, indices);
}
Tensor _unsafe_index_put(const Tensor& self, OptionalTensorList indices, const Tensor& values,
                         bool accumulate) {
  return at::index_put(self, indices, values, accumulate);
}

Tensor _index_put_impl(const Tensor& self, OptionalTensorList indices, const Tensor& values,
                       bool accumulate, bool) {
  return at::index_put(self, indices, values, accumulate);
}

// Indices that the mask leaves out may be out of range: they become 0.
static std::vector<std::optional<Tensor>> masked_indices(const Tensor& mask,
                                                         OptionalTensorList indices) {
  std::vector<std::optional<Tensor>> result;
  for (size_t k = 0; k < indices.size(); ++k) {
    const std::optional<Tensor>& index = indices[k];
    result.push_back(index && index->defined()
                         ? std::optional<Tensor>(_ops::masked_fill_Scalar::call(
                               *index, at::logical_not(mask), Scalar(0)))
                         : std::nullopt);
  }
  return result;
}

Tensor _unsafe_masked_index(const Tensor& self, const Tensor& mask, OptionalTensorList indices,
                            const Scalar& fill) {
  const auto valid = masked_indices(mask, indices);
  const Tensor found = _ops::index_Tensor::call(self, valid);
  return _ops::masked_fill_Scalar::call(found, at::logical_not(mask), fill);
}

Tensor _unsafe_masked_index_put_accumulate(const Tensor& self, const Tensor& mask,
                                           OptionalTensorList indices, const Tensor& values) {
  const auto valid = masked_indices(mask, indices);
  const Tensor kept = _ops::masked_fill_Scalar::call(values, at::logical_not(mask), Scalar(0));
  return at::index_put(self, valid, kept, true);
}

}  // namespace at::native
