// Shapes of searches in sorted sequences, and of histc.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/searchsorted_native.h>

namespace at::native {

Tensor searchsorted_meta(const Tensor& sorted_sequence, const Tensor& self, bool out_int32,
                         bool /*right*/, std::optional<std::string_view> /*side*/,
                         const std::optional<Tensor>& /*sorter*/) {
  check_all_meta("torch.searchsorted()", {&sorted_sequence, &self});
  TORCH_CHECK(sorted_sequence.dim() > 0,
              "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
              "dimension");
  return at::empty(self.sizes(), self.options().dtype(out_int32 ? kInt : kLong));
}

Tensor bucketize_meta(const Tensor& self, const Tensor& boundaries, bool out_int32,
                      bool /*right*/) {
  check_all_meta("bucketize", {&boundaries, &self});
  TORCH_CHECK(boundaries.dim() == 1,
              "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return at::empty(self.sizes(), self.options().dtype(out_int32 ? kInt : kLong));
}

Tensor histc_meta(const Tensor& self, int64_t bins, const Scalar& /*min*/, const Scalar& /*max*/) {
  TORCH_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  return at::empty({bins}, self.options());
}

}  // namespace at::native
