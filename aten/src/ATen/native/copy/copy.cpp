// copy_: copies any tensor to any other whose shape it broadcasts to, converting types.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/copy/copy.h>
#include <ATen/ops/_copy_from.h>
#include <ATen/ops/_copy_from_native.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/expand.h>

namespace at::native {

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  TORCH_CHECK(self.defined() && src.defined(), "copy_: undefined tensor");
  if (self.is_same(src)) return self;
  if (self.sizes() != src.sizes()) {
    TORCH_CHECK(is_expandable_to(src.sizes(), self.sizes()), "copy_: output with shape ",
                self.sizes(), " doesn't match the broadcast shape of the source, ", src.sizes());
  }
  if (self.is_meta()) return self;
  TORCH_CHECK_NOT_IMPLEMENTED(!src.is_meta(), "Cannot copy out of meta tensor; no data!");
  if (self.numel() == 0) return self;
  const DeviceType device = self.device().type();
  if (C10_UNLIKELY(device != src.device().type() || !copy_stub.has_kernel(device))) {
    const bool same_sizes = self.sizes() == src.sizes();
    at::_copy_from(same_sizes ? src : at::expand(src, self.sizes()), self, non_blocking);
    return self;
  }
  copy_stub(device, self, src);
  return self;
}

Tensor _copy_from_meta(const Tensor& /*self*/, const Tensor& dst, bool /*non_blocking*/) {
  return dst;
}

}  // namespace at::native
