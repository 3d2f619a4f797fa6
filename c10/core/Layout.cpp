// Names of layouts.

#include <c10/core/Layout.h>

#include <algorithm>

#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>

namespace c10 {

const char* toString(Layout layout) {
  static const char* const names[] = {"strided",    "sparse_coo", "sparse_csr", "_mkldnn",
                                      "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
  return names[static_cast<int>(layout)];
}
std::string to_string(Layout layout) { return toString(layout); }

const char* toString(MemoryFormat format) {
  static const char* const names[] = {"contiguous_format", "preserve_format", "channels_last",
                                      "channels_last_3d"};
  return names[static_cast<int>(format)];
}
std::string to_string(MemoryFormat format) { return toString(format); }

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step = wrapping_product(step, std::max<int64_t>(sizes[i], 1));
  }
  return strides;
}

DimVector channels_last_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  auto set_stride = [&](size_t d) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  };
  set_stride(1);
  for (size_t d = sizes.size(); d-- > 2;) set_stride(d);
  set_stride(0);
  return strides;
}

DimVector strides_for(IntArrayRef sizes, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::Contiguous:
      return contiguous_strides(sizes);
    case MemoryFormat::ChannelsLast:
      TORCH_CHECK(sizes.size() == 4,
                  "required rank 4 tensor to use channels_last format, got rank ", sizes.size());
      return channels_last_strides(sizes);
    case MemoryFormat::ChannelsLast3d:
      TORCH_CHECK(sizes.size() == 5,
                  "required rank 5 tensor to use channels_last_3d format, got rank ", sizes.size());
      return channels_last_strides(sizes);
    default:
      TORCH_CHECK(false, "unsupported memory format ", toString(format));
  }
}

}  // namespace c10
