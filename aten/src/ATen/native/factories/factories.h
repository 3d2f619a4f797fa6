#pragma once
// Shared by the operators that make new tensors.

#include <ATen/native/common/PinnedMemory.h>
#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {

// Throws unless the layout is that of a plain tensor.
void check_factory_options(const char* op, std::optional<Layout> layout);
inline ScalarType dtype_or_default(std::optional<ScalarType> dtype) {
  return dtype ? *dtype : get_default_dtype();
}

// Dense strides in the order of these strides
// (memory_format=torch.preserve_format).
DimVector preserved_strides(const Tensor& self);
// Strides for a result of self's sizes in a memory format; empty for contiguous.
DimVector strides_in_format(const Tensor& self, MemoryFormat format);

}  // namespace at::native
