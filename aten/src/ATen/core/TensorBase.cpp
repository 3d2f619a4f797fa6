// Out-of-line parts of TensorBase: errors, the suggested memory format.

#include <ATen/core/Tensor.h>

namespace at {

void TensorBase::fail_type(ScalarType expected) const {
  TORCH_CHECK(false, "expected scalar type ", toString(expected), " but found ",
              toString(scalar_type()));
  __builtin_unreachable();
}

MemoryFormat TensorBase::suggest_memory_format() const {
  if (impl_->is_strides_like(MemoryFormat::ChannelsLast)) return MemoryFormat::ChannelsLast;
  if (impl_->is_strides_like(MemoryFormat::ChannelsLast3d)) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

}  // namespace at
