// index_reduce: scatter_reduce with one index for each slice.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/index_reduce_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  TORCH_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
              "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ",
              reduce, ".");
  const int64_t d = maybe_wrap_dim(dim, self.dim(), "index_reduce");
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_reduce(): index must be a vector, got shape ",
                    index.sizes());
  TORCH_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_reduce(): Expected dtype int32/int64 for index but got: ",
              toString(index.scalar_type()));
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "index_reduce(): self (",
              toString(self.scalar_type()), ") and source (", toString(source.scalar_type()),
              ") must have the same scalar type");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex() && self.scalar_type() != kBool,
                              "\"index_func_\" not implemented for '", toString(self.scalar_type()),
                              "'");
  const int64_t length = source.dim() == 0  ? 1
                         : d < source.dim() ? source.sizes()[static_cast<size_t>(d)]
                                            : -1;
  TORCH_CHECK(index.numel() == length, "index_reduce(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim): (", length, "), for dim: ", dim);
  bool same = self.dim() == source.dim();
  for (int64_t k = 0; same && k < self.dim(); ++k) {
    const auto at = static_cast<size_t>(k);
    same = k == d || self.sizes()[at] == source.sizes()[at];
  }
  TORCH_CHECK(same, "index_reduce(): source must have the shape of self, except for dim ", dim,
              ", got ", source.sizes(), " and ", self.sizes());
  DimVector shape(static_cast<size_t>(source.dim()), 1);
  if (source.dim() > 0) shape[static_cast<size_t>(d)] = length;
  Tensor wide = index.scalar_type() == kLong ? index : at::_to_copy(index, kLong);
  // scatter_reduce would raise another error for an index that is out of range.
  const int64_t rows = self.dim() == 0 ? 1 : self.sizes()[static_cast<size_t>(d)];
  at::index_select(at::expand(at::zeros({1}, self.options()), {rows}), 0, at::reshape(wide, {-1}));
  return at::scatter_reduce(self, d, at::expand(at::reshape(wide, shape), source.sizes()), source,
                            reduce, include_self);
}

}  // namespace at::native
