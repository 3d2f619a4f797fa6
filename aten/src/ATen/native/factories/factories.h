#pragma once
// Shared by the operators that make new tensors.

#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {

// Throws unless the options describe a plain tensor: strided, not pinned, on a device with an
// allocator.
void check_factory_options(const char* op, std::optional<Layout> layout,
                           std::optional<bool> pin_memory);
inline ScalarType dtype_or_default(std::optional<ScalarType> dtype) {
  return dtype ? *dtype : get_default_dtype();
}

// Dense strides in the order of these strides
// (memory_format=torch.preserve_format).
DimVector preserved_strides(const Tensor& self);
// Strides for a result of self's sizes in a memory format; empty for contiguous.
DimVector strides_in_format(const Tensor& self, MemoryFormat format);

}  // namespace at::native
