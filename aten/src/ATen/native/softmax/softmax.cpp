// softmax, log_softmax: shapes, dtypes, and dense operands for the kernels.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/softmax/softmax.h>
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_backward_data_native.h>
#include <ATen/ops/_log_softmax_native.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data_native.h>
#include <ATen/ops/_softmax_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/log_softmax_native.h>
#include <ATen/ops/softmax_native.h>

namespace at {
namespace {

void set_softmax(MetaBase& m, const Tensor& self, int64_t dim, bool half_to_float) {
  maybe_wrap_dim(dim, self.dim(), m.op_name());
  TORCH_CHECK(!half_to_float || self.scalar_type() == kHalf,
              "conversion is supported for Half type only");
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point() && !isFloat8Type(self.scalar_type()), "\"",
                              m.op_name(), "_lastdim_kernel_impl\" not implemented for '",
                              toString(self.scalar_type()), "'");
  m.set_output(0, self.sizes(), self.options().dtype(half_to_float ? kFloat : self.scalar_type()));
}

void set_softmax_backward(MetaBase& m, const Tensor& grad, const Tensor& output, int64_t dim,
                          ScalarType input_dtype) {
  maybe_wrap_dim(dim, grad.dim(), m.op_name());
  TORCH_CHECK(grad.sizes() == output.sizes(), m.op_name(), ": grad_output has shape ", grad.sizes(),
              ", output has shape ", output.sizes());
  TORCH_CHECK(grad.is_floating_point() && output.is_floating_point(), m.op_name(),
              ": expected floating-point tensors");
  m.set_output(0, grad.sizes(), grad.options().dtype(input_dtype));
}

}  // namespace

namespace meta {

void _softmax(MetaBase& m, const Tensor& self, int64_t dim, bool half_to_float) {
  set_softmax(m, self, dim, half_to_float);
}
void _log_softmax(MetaBase& m, const Tensor& self, int64_t dim, bool half_to_float) {
  set_softmax(m, self, dim, half_to_float);
}
void _softmax_backward_data(MetaBase& m, const Tensor& grad_output, const Tensor& output,
                            int64_t dim, ScalarType input_dtype) {
  set_softmax_backward(m, grad_output, output, dim, input_dtype);
}
void _log_softmax_backward_data(MetaBase& m, const Tensor& grad_output, const Tensor& output,
                                int64_t dim, ScalarType input_dtype) {
  set_softmax_backward(m, grad_output, output, dim, input_dtype);
}

}  // namespace meta

namespace native {
namespace {

void softmax_forward(bool log, const Tensor& self, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  // Results are computed in the wider one of the two types.
  const ScalarType dtype = promoteTypes(self.scalar_type(), out.scalar_type());
  Tensor x = at::contiguous(self.scalar_type() == dtype ? self : at::_to_copy(self, dtype));
  DenseResult result(out, dtype);
  softmax_stub(x.device().type(), log, x, result.tensor(), dim);
  result.finish();
}

void softmax_backward(bool log, const Tensor& grad, const Tensor& y, int64_t dim,
                      const Tensor& out) {
  if (out.numel() == 0) return;
  Tensor g = at::contiguous(
             grad.scalar_type() == y.scalar_type() ? grad : at::_to_copy(grad, y.scalar_type())),
         o = at::contiguous(y);
  DenseResult result(out, y.scalar_type());
  softmax_backward_stub(o.device().type(), log, g, o, result.tensor(), dim);
  result.finish();
}

}  // namespace

void softmax_kernel(const Tensor& self, int64_t dim, bool, const Tensor& out) {
  softmax_forward(false, self, dim, out);
}
void log_softmax_kernel(const Tensor& self, int64_t dim, bool, const Tensor& out) {
  softmax_forward(true, self, dim, out);
}
void softmax_backward_kernel(const Tensor& grad_output, const Tensor& output, int64_t dim,
                             ScalarType, const Tensor& out) {
  softmax_backward(false, grad_output, output, dim, out);
}
void log_softmax_backward_kernel(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                 ScalarType, const Tensor& out) {
  softmax_backward(true, grad_output, output, dim, out);
}

Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return at::_softmax(dtype && *dtype != self.scalar_type() ? at::_to_copy(self, *dtype) : self,
                      dim, false);
}
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return at::_log_softmax(dtype && *dtype != self.scalar_type() ? at::_to_copy(self, *dtype) : self,
                          dim, false);
}

}  // namespace native
}  // namespace at
