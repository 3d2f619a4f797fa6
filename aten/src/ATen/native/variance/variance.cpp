// var, std and their means.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/std_mean_native.h>
#include <ATen/ops/std_mean_ops.h>
#include <ATen/ops/std_native.h>
#include <ATen/ops/std_ops.h>
#include <ATen/ops/var_mean_native.h>
#include <ATen/ops/var_mean_ops.h>
#include <ATen/ops/var_native.h>
#include <ATen/ops/var_ops.h>
#include <ATen/ops/view_as_real.h>

namespace at {
namespace {

using native::ReduceKind;

void check_moment(const char* op, const Tensor& self) {
  TORCH_CHECK(self.is_floating_point() || self.is_complex(), op,
              ": std and var only support floating point and complex dtypes, got ",
              toString(self.scalar_type()));
}

void set_moment(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim,
                const std::optional<Scalar>& correction, bool keepdim, bool with_mean) {
  check_moment(m.op_name(), self);
  uint64_t mask = native::reduce_mask(dim, self.dim(), m.op_name());
  DimVector sizes = native::reduced_sizes(self.sizes(), mask, keepdim);
  m.set_output(0, sizes, self.options().dtype(toRealValueType(self.scalar_type())));
  if (with_mean) m.set_output(1, sizes, self.options());
  int64_t count = 1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (mask >> d & 1) count *= self.sizes()[d];
  }
  double c = correction ? correction->toDouble() : 1;
  if (static_cast<double>(count) <= c && m.output(0).numel() != 0) {
    TORCH_WARN(m.op_name(),
               "(): degrees of freedom is <= 0. Correction should be strictly less than the "
               "reduction factor (input numel divided by output numel).");
  }
}

}  // namespace

namespace meta {

void var_correction(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  set_moment(m, self, dim, correction, keepdim, false);
}
void std_correction(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  set_moment(m, self, dim, correction, keepdim, false);
}
void var_mean_correction(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim,
                         const std::optional<Scalar>& correction, bool keepdim) {
  set_moment(m, self, dim, correction, keepdim, true);
}
void std_mean_correction(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim,
                         const std::optional<Scalar>& correction, bool keepdim) {
  set_moment(m, self, dim, correction, keepdim, true);
}

}  // namespace meta

namespace native {
namespace {

// The variance of complex numbers is that of their real parts plus that of their imaginary parts.
void moment(ReduceKind kind, const Tensor& self, OptionalIntArrayRef dim,
            const std::optional<Scalar>& correction, bool keepdim, const Tensor& out,
            const Tensor& mean = {}) {
  if (self.is_complex()) {
    Tensor parts = at::view_as_real(self);
    Tensor total =
        at::_ops::var_correction::call(at::select(parts, -1, 0), dim, correction, keepdim) +
        at::_ops::var_correction::call(at::select(parts, -1, 1), dim, correction, keepdim);
    Tensor o = out, mu = mean;
    copy_(o, kind == ReduceKind::std ? at::sqrt(total) : total, false);
    if (mu.defined()) copy_(mu, at::mean(self, dim, keepdim), false);
    return;
  }
  const double free = correction ? correction->toDouble() : 1;
  reduction_stub(self.device().type(),
                 {kind, reduce_compute_type(self.scalar_type()), "std_cpu", free}, self,
                 reduce_mask(dim, self.dim(), "var"), keepdim, out, mean);
}

Scalar by_flag(bool unbiased) { return unbiased ? 1 : 0; }

}  // namespace

void var_kernel(const Tensor& self, OptionalIntArrayRef dim,
                const std::optional<Scalar>& correction, bool keepdim, const Tensor& out) {
  moment(ReduceKind::var, self, dim, correction, keepdim, out);
}
void std_kernel(const Tensor& self, OptionalIntArrayRef dim,
                const std::optional<Scalar>& correction, bool keepdim, const Tensor& out) {
  moment(ReduceKind::std, self, dim, correction, keepdim, out);
}
void var_mean_kernel(const Tensor& self, OptionalIntArrayRef dim,
                     const std::optional<Scalar>& correction, bool keepdim, const Tensor& out0,
                     const Tensor& out1) {
  moment(ReduceKind::var, self, dim, correction, keepdim, out0, out1);
}
void std_mean_kernel(const Tensor& self, OptionalIntArrayRef dim,
                     const std::optional<Scalar>& correction, bool keepdim, const Tensor& out0,
                     const Tensor& out1) {
  moment(ReduceKind::std, self, dim, correction, keepdim, out0, out1);
}

Tensor var(const Tensor& self, bool unbiased) {
  return at::_ops::var_correction::call(self, std::nullopt, by_flag(unbiased), false);
}
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::_ops::var_correction::call(self, dim, by_flag(unbiased), keepdim);
}
Tensor std(const Tensor& self, bool unbiased) {
  return at::_ops::std_correction::call(self, std::nullopt, by_flag(unbiased), false);
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::_ops::std_correction::call(self, dim, by_flag(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  return at::_ops::var_mean_correction::call(self, std::nullopt, by_flag(unbiased), false);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  return at::_ops::var_mean_correction::call(self, dim, by_flag(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  return at::_ops::std_mean_correction::call(self, std::nullopt, by_flag(unbiased), false);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  return at::_ops::std_mean_correction::call(self, dim, by_flag(unbiased), keepdim);
}

}  // namespace native
}  // namespace at
