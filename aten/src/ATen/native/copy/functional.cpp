// Copies and conversions that return new tensors, under the names that transforms and traces use.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_cast_Byte_native.h>
#include <ATen/ops/_cast_Char_native.h>
#include <ATen/ops/_cast_Double_native.h>
#include <ATen/ops/_cast_Float_native.h>
#include <ATen/ops/_cast_Half_native.h>
#include <ATen/ops/_cast_Int_native.h>
#include <ATen/ops/_cast_Long_native.h>
#include <ATen/ops/_cast_Short_native.h>
#include <ATen/ops/_to_cpu_native.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/lift_fresh_native.h>
#include <ATen/ops/lift_native.h>
#include <ATen/ops/to_ops.h>

namespace at::native {

Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking) {
  Tensor result = at::empty_like(self);
  return _ops::copy_::call(result, src, non_blocking);
}

static Tensor cast(const Tensor& self, ScalarType type, bool non_blocking) {
  return _ops::to_dtype::call(self, type, non_blocking, false, std::nullopt);
}
Tensor _cast_Byte(const Tensor& self, bool non_blocking) { return cast(self, kByte, non_blocking); }
Tensor _cast_Char(const Tensor& self, bool non_blocking) { return cast(self, kChar, non_blocking); }
Tensor _cast_Double(const Tensor& self, bool non_blocking) {
  return cast(self, kDouble, non_blocking);
}
Tensor _cast_Float(const Tensor& self, bool non_blocking) {
  return cast(self, kFloat, non_blocking);
}
Tensor _cast_Half(const Tensor& self, bool non_blocking) { return cast(self, kHalf, non_blocking); }
Tensor _cast_Int(const Tensor& self, bool non_blocking) { return cast(self, kInt, non_blocking); }
Tensor _cast_Long(const Tensor& self, bool non_blocking) { return cast(self, kLong, non_blocking); }
Tensor _cast_Short(const Tensor& self, bool non_blocking) {
  return cast(self, kShort, non_blocking);
}

std::vector<Tensor> _to_cpu(TensorList tensors) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors)
    result.push_back(
        _ops::to_device::call(t, Device("cpu"), t.scalar_type(), false, false, std::nullopt));
  return result;
}

// Marks for transforms: a constant of the program enters here.
Tensor lift(const Tensor& self) { return self; }
Tensor lift_fresh(const Tensor& self) { return self; }

}  // namespace at::native
