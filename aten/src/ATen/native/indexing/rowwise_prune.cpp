// _rowwise_prune: the rows that a mask keeps, and where each row went.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_rowwise_prune_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>

namespace at::native {

std::tuple<Tensor, Tensor> _rowwise_prune(const Tensor& weight, const Tensor& mask,
                                          ScalarType compressed_indices_dtype) {
  const char* op = "_rowwise_prune";
  TORCH_CHECK(compressed_indices_dtype == kInt || compressed_indices_dtype == kLong, op,
              ": compressed_indices_dtype must be int32 or int64, but it is ",
              dtypeName(compressed_indices_dtype));
  TORCH_CHECK(weight.dim() == 2, op, ": the weight must have 2 dimensions, but its shape is ",
              weight.sizes());
  TORCH_CHECK(mask.scalar_type() == kBool && mask.dim() == 1 && mask.size(0) == weight.size(0), op,
              ": the mask must be bool of shape (", weight.size(0), "), but it is ",
              dtypeName(mask.scalar_type()), " of shape ", mask.sizes());
  const Tensor rows = at::reshape(at::nonzero(mask), {-1});
  // The number of rows kept before each one; -1 for the others.
  const Tensor place = at::where(mask, at::sub(at::cumsum(mask, 0), 1), Scalar(-1));
  return {at::index_select(weight, 0, rows),
          at::_to_copy(place, TensorOptions(compressed_indices_dtype))};
}

}  // namespace at::native
