// Products of int8 matrices, summed in int32.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_int_mm_native.h>

namespace at::native {

Tensor _int_mm(const Tensor& self, const Tensor& mat2) {
  check_same_device("_int_mm", {&self, &mat2});
  TORCH_CHECK(self.scalar_type() == kChar || self.scalar_type() == kByte,
              "_int_mm: Expected self dtype to be int8 or uint8 but got ",
              toString(self.scalar_type()));
  TORCH_CHECK(mat2.scalar_type() == kChar, "_int_mm: Expected mat2 dtype to be int8 but got ",
              toString(mat2.scalar_type()));
  TORCH_CHECK(self.dim() == 2 && mat2.dim() == 2 && self.sizes()[1] == mat2.sizes()[0],
              "_int_mm: expected matrices (n, k) and (k, m), got ", self.sizes(), " and ",
              mat2.sizes());
  Tensor out = empty_tensor({self.sizes()[0], mat2.sizes()[1]}, kInt, self.device());
  int8_matmul_stub(out.device().type(), out, self, mat2);
  return out;
}

}  // namespace at::native
