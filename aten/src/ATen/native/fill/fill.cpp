// fill_: its checks, and a direct fill for operators that make tensors.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/fill__native.h>
#include <ATen/ops/fill__ops.h>

namespace at {

namespace meta {
void fill__Tensor(Tensor&, const Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
}
}  // namespace meta

namespace native {

void fill_elements(const Tensor& self, const Scalar& value) {
  Tensor to = self;
  const DeviceType device = self.device().type();
  if (C10_LIKELY(fill_scalar_stub.has_kernel(device))) {
    fill_scalar_stub(device, to, value);
  } else {
    at::_ops::fill__Scalar::call(to, value);
  }
}

}  // namespace native
}  // namespace at
