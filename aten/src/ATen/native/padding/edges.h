#pragma once
// Reflection and replication padding: each padded dimension has a map from output index to input
// index.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class Edge { reflect, replicate };

// The last three dimensions of an input, with those before them merged into one, and their maps.
struct PaddedShape {
  int64_t outer = 1, in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  std::vector<int64_t> map[3];
  DimVector sizes;

  // Throws unless the last n dimensions can be padded this way.
  PaddedShape(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op);
};

// For contiguous tensors. `first` and `last` columns at the ends of a row are padding (negative:
// cropped). `op` is the name used in errors.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& input, const Tensor& result,
                          int64_t first, int64_t last, const char* op),
                 pad_edges_stub);
// For channels-last tensors.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& input, const Tensor& result,
                          const char* op),
                 pad_pixels_stub);
// Adds the gradient to a contiguous tensor, zero initially.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& grad, const Tensor& result,
                          const char* op),
                 pad_edges_backward_stub);

}  // namespace at::native
