#pragma once
// Reflection and replication padding: each padded dimension has a map from output index to input
// index.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class Edge { reflect, replicate };

// The last three dimensions of an input.
struct PaddedDims {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, before[3] = {0, 0, 0};
  Edge edge = Edge::replicate;

  // Where element i of the result's dimension d comes from.
  C10_HOST_DEVICE int64_t source(int d, int64_t i) const {
    const int64_t last = in[d] - 1;
    int64_t x = i - before[d];
    if (edge == Edge::reflect) x = x < 0 ? -x : x > last ? 2 * last - x : x;
    return x < 0 ? 0 : x > last ? last : x;
  }
};

// The same with the dimensions before them merged into one.
struct PaddedShape : PaddedDims {
  int64_t outer = 1;
  DimVector sizes;

  // Throws unless the last n dimensions can be padded this way.
  PaddedShape(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op);

  // The same with all dimensions but the last n, which are padded, merged into `outer`.
  PaddedShape with_planes(int64_t n) const;
  // The same for channels-last images: in memory the channels are the last dimension, which is not
  // padded.
  PaddedShape with_channels_last() const;
};

// For tensors whose memory has the order of the shape. `op` is the name used in errors.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& input, const Tensor& result,
                          const char* op),
                 pad_edges_stub);
// The gradient of the input.
DECLARE_DISPATCH(void (*)(const PaddedShape&, const Tensor& grad, const Tensor& result,
                          const char* op),
                 pad_edges_backward_stub);

}  // namespace at::native
