// alias: the same tensor, as a view.

#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/alias_native.h>

namespace at::native {

Tensor alias(const Tensor& self) {
  return alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
}

}  // namespace at::native
