#pragma once
// Reflection and replication padding: each padded dimension has a map from where the result is to
// where it comes from.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class Edge { reflect, replicate };

// The last three dimensions of an input, those before them as one, with the maps of each.
struct PaddedShape {
  int64_t outer = 1, in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  std::vector<int64_t> map[3];
  DimVector sizes;

  // Throws unless the last n dimensions can be padded so.
  PaddedShape(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op);
};

// Of contiguous tensors. `first` and `last` columns at the ends of a row are padding (negative:
// left out). `op` names the operator in errors.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& input, const Tensor& result,
                          int64_t first, int64_t last, const char* op),
                 pad_edges_stub);
// Of channels-last tensors.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& input, const Tensor& result,
                          const char* op),
                 pad_pixels_stub);
// Adds the gradient to a contiguous tensor of zeros.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& grad, const Tensor& result,
                          const char* op),
                 pad_edges_backward_stub);

}  // namespace at::native
