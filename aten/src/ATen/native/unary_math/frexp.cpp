// The shape of frexp's results.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/frexp_native.h>

namespace at::meta {

void frexp_Tensor(MetaBase& m, const Tensor& self) {
  TORCH_CHECK(self.is_floating_point(), "torch.frexp() only supports floating-point dtypes, got ",
              toString(self.scalar_type()));
  TORCH_CHECK_NOT_IMPLEMENTED(!isFloat8Type(self.scalar_type()),
                              "\"frexp_cpu\" not implemented for '", toString(self.scalar_type()),
                              "'");
  m.set_output(0, self.sizes(), self.options());
  m.set_output(1, self.sizes(), self.options().dtype(kInt));
}

}  // namespace at::meta
