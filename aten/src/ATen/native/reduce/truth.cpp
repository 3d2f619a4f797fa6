// Whether all or any elements of a bool tensor are true, and sums to a smaller shape.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_is_all_true_native.h>
#include <ATen/ops/_is_any_true_native.h>
#include <ATen/ops/all.h>
#include <ATen/ops/any.h>
#include <ATen/ops/sum_to_size_native.h>

namespace at::native {

static void check_bool(const char* op, const Tensor& self) {
  TORCH_CHECK(self.scalar_type() == kBool, op, ": expected a bool tensor, got ",
              toString(self.scalar_type()));
}

Tensor _is_all_true(const Tensor& self) {
  check_bool("_is_all_true", self);
  return at::all(self);
}
Tensor _is_any_true(const Tensor& self) {
  check_bool("_is_any_true", self);
  return at::any(self);
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size) {
  TORCH_CHECK(is_expandable_to(size, self.sizes()), "size {", size, "} is not expandable to size {",
              self.sizes(), "}.");
  return sum_to(self, size);
}

}  // namespace at::native
