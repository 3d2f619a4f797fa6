#pragma once
// Layout and MemoryFormat: how elements are laid out in memory.

#include <cstdint>
#include <string>

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

namespace c10 {

enum class Layout : int8_t {
  Strided,
  Sparse,
  SparseCsr,
  Mkldnn,
  SparseCsc,
  SparseBsr,
  SparseBsc,
  Jagged
};
constexpr Layout kStrided = Layout::Strided;
const char* toString(Layout layout);
std::string to_string(Layout layout);

// Contiguous: the last dimension is dense. ChannelsLast: sizes are (N, C, H, W), memory is NHWC.
// Preserve is a request, not a property: keep the strides of the input if it is dense.
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
const char* toString(MemoryFormat format);
std::string to_string(MemoryFormat format);

// Strides of a dense tensor of these sizes in the given order; a size of 0 counts as 1.
DimVector contiguous_strides(IntArrayRef sizes);
DimVector channels_last_strides(IntArrayRef sizes);  // 4 or 5 dimensions
DimVector strides_for(IntArrayRef sizes, MemoryFormat format);

}  // namespace c10
