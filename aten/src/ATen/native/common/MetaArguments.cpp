// Checks of arguments on the meta device.

#include <ATen/native/common/MetaArguments.h>

namespace at::native {

void check_all_meta(const char* op, std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* t : tensors) {
    TORCH_CHECK(!t->defined() || t->is_meta(), op,
                ": expected all tensors to be on the meta device, but got one on ", t->device());
  }
}

}  // namespace at::native
