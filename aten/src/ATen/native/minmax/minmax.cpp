// max, min, amax, amin, aminmax, argmax, argmin.

#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/RepeatedZero.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/amax_native.h>
#include <ATen/ops/amin_native.h>
#include <ATen/ops/aminmax_native.h>
#include <ATen/ops/argmax_native.h>
#include <ATen/ops/argmin_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/max_native.h>
#include <ATen/ops/min_native.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/value_selecting_reduction_backward_native.h>
#include <ATen/ops/zeros.h>

namespace at {
namespace {

using native::ReduceKind;

void refuse_complex(const char* op, const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), op, "(): does not support complex input");
}

// An empty tensor has no extreme.
void check_not_empty(const char* op, const Tensor& self, uint64_t mask, bool full_reduction) {
  if (self.numel() != 0) return;
  TORCH_CHECK(!full_reduction, op,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
  for (int64_t d = 0; d < self.dim(); ++d) {
    TORCH_CHECK_INDEX(!(mask >> d & 1) || self.sizes()[d] != 0, op, "(): Expected reduction dim ",
                      d, " to have non-zero size.");
  }
}

void set_extreme(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), m.op_name(), ": not implemented for '",
                              toString(self.scalar_type()), "'");
  uint64_t mask = native::reduce_mask(dim, self.dim(), m.op_name());
  check_not_empty(m.op_name(), self, mask, !dim || dim->empty());
  m.set_output(0, native::reduced_sizes(self.sizes(), mask, keepdim), self.options());
}

void set_values_and_indices(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  refuse_complex(m.op_name(), self);
  uint64_t mask = native::reduce_mask(IntArrayRef(dim), self.dim(), m.op_name());
  check_not_empty(m.op_name(), self, mask, false);
  DimVector sizes = native::reduced_sizes(self.sizes(), mask, keepdim);
  m.set_output(0, sizes, self.options());
  m.set_output(1, sizes, self.options().dtype(kLong));
}

void set_index(MetaBase& m, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  refuse_complex(m.op_name(), self);
  TORCH_CHECK(self.scalar_type() != kBool, m.op_name(), "(): does not support bool input");
  uint64_t mask = dim ? native::reduce_mask(IntArrayRef(*dim), self.dim(), m.op_name())
                      : native::reduce_mask(std::nullopt, self.dim(), m.op_name());
  TORCH_CHECK_INDEX(dim || self.numel() != 0, m.op_name(),
                    "(): Expected reduction dim to be specified for input.numel() == 0.");
  check_not_empty(m.op_name(), self, mask, !dim);
  m.set_output(0, native::reduced_sizes(self.sizes(), mask, keepdim), self.options().dtype(kLong));
}

}  // namespace

namespace meta {

void amax(MetaBase& m, const Tensor& self, IntArrayRef dim, bool keepdim) {
  if (m.form() == OutputForm::out) {
    TORCH_CHECK(m.output(0).scalar_type() == self.scalar_type(),
                "Expected the dtype for input and out to match, but got ",
                toString(self.scalar_type()), " for input's dtype and ",
                toString(m.output(0).scalar_type()), " for out's dtype.");
  }
  set_extreme(m, self, dim, keepdim);
}
void amin(MetaBase& m, const Tensor& self, IntArrayRef dim, bool keepdim) {
  amax(m, self, dim, keepdim);
}
void max(MetaBase& m, const Tensor& self) { set_extreme(m, self, std::nullopt, false); }
void min(MetaBase& m, const Tensor& self) { set_extreme(m, self, std::nullopt, false); }
void aminmax(MetaBase& m, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "aminmax: not implemented for '",
                              toString(self.scalar_type()), "'");
  uint64_t mask = dim ? native::reduce_mask(IntArrayRef(*dim), self.dim(), "aminmax")
                      : native::reduce_mask(std::nullopt, self.dim(), "aminmax");
  check_not_empty("aminmax", self, mask, !dim);
  DimVector sizes = native::reduced_sizes(self.sizes(), mask, keepdim);
  m.set_output(0, sizes, self.options());
  m.set_output(1, sizes, self.options());
}
void max_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  set_values_and_indices(m, self, dim, keepdim);
}
void min_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  set_values_and_indices(m, self, dim, keepdim);
}
void argmax(MetaBase& m, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  set_index(m, self, dim, keepdim);
}
void argmin(MetaBase& m, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  set_index(m, self, dim, keepdim);
}

}  // namespace meta

namespace native {
namespace {

void reduce(ReduceKind kind, const char* op, const Tensor& self, uint64_t mask, bool keepdim,
            const Tensor& out0, const Tensor& out1 = {}) {
  reduction_stub(self.device().type(), {kind, reduce_compute_type(self.scalar_type()), op}, self,
                 mask, keepdim, out0, out1);
}

uint64_t mask_of(const Tensor& self, OptionalIntArrayRef dim) {
  return reduce_mask(dim, self.dim(), "reduce");
}

void reduce_index(ReduceKind kind, const char* op, const Tensor& self, std::optional<int64_t> dim,
                  bool keepdim, const Tensor& out) {
  if (dim) return reduce(kind, op, self, mask_of(self, IntArrayRef(*dim)), keepdim, out);
  // The index in the flattened tensor: rows in order.
  reduce(kind, op, at::contiguous(self), mask_of(self, std::nullopt), keepdim, out);
}

}  // namespace

void amax_kernel(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  reduce(ReduceKind::amax, "max_values_cpu", self, mask_of(self, dim), keepdim, out);
}
void amin_kernel(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  reduce(ReduceKind::amin, "min_values_cpu", self, mask_of(self, dim), keepdim, out);
}
void max_all_kernel(const Tensor& self, const Tensor& out) {
  reduce(ReduceKind::amax, "max_all", self, mask_of(self, std::nullopt), false, out);
}
void min_all_kernel(const Tensor& self, const Tensor& out) {
  reduce(ReduceKind::amin, "min_all", self, mask_of(self, std::nullopt), false, out);
}
void aminmax_kernel(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& min,
                    const Tensor& max) {
  uint64_t mask = dim ? mask_of(self, IntArrayRef(*dim)) : mask_of(self, std::nullopt);
  reduce(ReduceKind::aminmax, "aminmax_cpu", self, mask, keepdim, min, max);
}
void max_kernel(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values,
                const Tensor& indices) {
  reduce(ReduceKind::max, "max_cpu", self, mask_of(self, IntArrayRef(dim)), keepdim, values,
         indices);
}
void min_kernel(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values,
                const Tensor& indices) {
  reduce(ReduceKind::min, "min_cpu", self, mask_of(self, IntArrayRef(dim)), keepdim, values,
         indices);
}
void argmax_kernel(const Tensor& self, std::optional<int64_t> dim, bool keepdim,
                   const Tensor& out) {
  reduce_index(ReduceKind::argmax, "argmax_cpu", self, dim, keepdim, out);
}
void argmin_kernel(const Tensor& self, std::optional<int64_t> dim, bool keepdim,
                   const Tensor& out) {
  reduce_index(ReduceKind::argmin, "argmin_cpu", self, dim, keepdim, out);
}

// Scatters the gradient of values selected along a dimension back to their indices.
Tensor value_selecting_reduction_backward(const Tensor& grad, int64_t dim, const Tensor& indices,
                                          IntArrayRef sizes, bool keepdim) {
  if (sizes.empty()) return grad;
  Tensor expanded_indices = keepdim ? indices : at::unsqueeze(indices, dim),
         values = keepdim ? grad : at::unsqueeze(grad, dim);
  return at::scatter(repeated_zero(sizes, grad.options()), dim, expanded_indices, values);
}

}  // namespace native
}  // namespace at
