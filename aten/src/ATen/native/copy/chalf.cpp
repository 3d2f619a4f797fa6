// Conversion to complex numbers of two halves.

#include <ATen/core/Tensor.h>
#include <ATen/ops/chalf_native.h>
#include <ATen/ops/to_ops.h>

namespace at::native {

Tensor chalf(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  return _ops::to_dtype::call(self, kComplexHalf, false, false, memory_format);
}

}  // namespace at::native
