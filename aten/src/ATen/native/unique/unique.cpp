// unique and related operators: the order of elements and of slices, and runs of equal ones.

#include <ATen/native/unique/unique.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/sort/order_key.h>
#include <ATen/ops/_unique2.h>
#include <ATen/ops/_unique2_native.h>
#include <ATen/ops/_unique_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/unique_consecutive_native.h>
#include <ATen/ops/unique_dim_consecutive_native.h>
#include <ATen/ops/unique_dim_native.h>

namespace at::native {
namespace {

Tensor no_numbers(const Tensor& self) { return empty_tensor({0}, kLong, self.device()); }

// The slices along a dimension, as rows.
UniqueResult unique_slices(const char* op, const Tensor& self, int64_t dim, bool consecutive,
                           bool return_inverse, bool return_counts) {
  dispatch_types<OrderedTypes>(self.scalar_type(), "unique", [](auto) {});
  int64_t d = maybe_wrap_dim(dim, self.dim(), op);
  TORCH_CHECK(self.dim() > 0, op, ": expected a tensor with dimensions, got a 0-dimensional one");
  int64_t n = self.sizes()[d];
  for (int64_t k = 0; k < self.dim(); ++k) {
    TORCH_CHECK(
        k == d || self.sizes()[k] != 0 || n == 0, op,
        ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  }
  TORCH_CHECK(
      self.numel() != 0 || n == 0, op,
      ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  if (n == 0)
    return {at::index_select(self, d, no_numbers(self)), no_numbers(self), no_numbers(self)};
  const Tensor rows = at::reshape(at::contiguous(at::movedim(self, d, 0)), {n, -1});
  const auto [chosen, inverse, counts] =
      unique_rows_stub(self.device().type(), rows, consecutive, return_inverse, return_counts);
  return {at::index_select(self, d, chosen), inverse, counts};
}

UniqueResult unique_runs(const Tensor& self, const Tensor& values, const Tensor& order,
                         bool return_inverse, bool return_counts) {
  return unique_runs_stub(self.device().type(), self, values, order, return_inverse, return_counts);
}

}  // namespace

UniqueResult _unique2(const Tensor& self, bool /*sorted*/, bool return_inverse,
                      bool return_counts) {
  const Tensor dense = at::contiguous(self);
  if (const auto device = self.device().type(); unique_few_stub.has_kernel(device)) {
    if (auto few = unique_few_stub(device, dense, return_inverse, return_counts)) return *few;
  }
  auto [values, indices] = at::sort(at::reshape(dense, {-1}));
  return unique_runs(self, values, indices, return_inverse, return_counts);
}

UniqueResult unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                                std::optional<int64_t> dim) {
  if (dim && !(self.dim() == 1 && maybe_wrap_dim(*dim, 1) == 0)) {
    return unique_slices("unique_consecutive", self, *dim, true, return_inverse, return_counts);
  }
  return unique_runs(self, at::reshape(at::contiguous(self), {-1}), Tensor(), return_inverse,
                     return_counts);
}

UniqueResult unique_dim(const Tensor& self, int64_t dim, bool /*sorted*/, bool return_inverse,
                        bool return_counts) {
  return unique_slices("unique_dim", self, dim, false, return_inverse, return_counts);
}

UniqueResult unique_dim_consecutive(const Tensor& self, int64_t dim, bool return_inverse,
                                    bool return_counts) {
  return unique_slices("unique_dim_consecutive", self, dim, true, return_inverse, return_counts);
}

std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted, bool return_inverse) {
  auto [values, inverse, counts] = at::_unique2(self, sorted, return_inverse, false);
  return {values, inverse};
}

}  // namespace at::native
