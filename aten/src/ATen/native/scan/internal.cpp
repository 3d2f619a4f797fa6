// logcumsumexp under its internal name.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_logcumsumexp_native.h>
#include <ATen/ops/logcumsumexp.h>

namespace at::native {

Tensor _logcumsumexp(const Tensor& self, int64_t dim) { return at::logcumsumexp(self, dim); }

}  // namespace at::native
