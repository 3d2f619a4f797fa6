// Reflection and replication padding: each padded dimension has a map from output index to input
// index.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/padding/edges.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/reflection_pad1d_backward_native.h>
#include <ATen/ops/reflection_pad1d_native.h>
#include <ATen/ops/reflection_pad2d_backward_native.h>
#include <ATen/ops/reflection_pad2d_native.h>
#include <ATen/ops/reflection_pad3d_backward_native.h>
#include <ATen/ops/reflection_pad3d_native.h>
#include <ATen/ops/replication_pad1d_backward_native.h>
#include <ATen/ops/replication_pad1d_native.h>
#include <ATen/ops/replication_pad2d_backward_native.h>
#include <ATen/ops/replication_pad2d_native.h>
#include <ATen/ops/replication_pad3d_backward_native.h>
#include <ATen/ops/replication_pad3d_native.h>

namespace at::native {
PaddedShape::PaddedShape(const Tensor& self, IntArrayRef pad, int64_t n, Edge kind, const char* op)
    : sizes(self.sizes()) {
  edge = kind;
  int64_t rank = self.dim();
  TORCH_CHECK(static_cast<int64_t>(pad.size()) == 2 * n, op, ": padding size is expected to be ",
              2 * n, ", but got: ", pad.size());
  bool batch_only_empty = true;
  for (int64_t d = rank == n + 2 ? 1 : 0; d < rank; ++d) batch_only_empty &= self.sizes()[d] != 0;
  TORCH_CHECK((rank == n + 1 || rank == n + 2) && batch_only_empty, op, ": Expected ", n + 1,
              "D or ", n + 2,
              "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
              "for input, but got: ",
              self.sizes());
  for (int64_t d = 0; d < rank; ++d) {
    int64_t k = rank - 1 - d;  // 0: the last one
    int64_t size = self.sizes()[d];
    if (k >= 3) {
      outer *= size;
      continue;
    }
    int64_t first = k < n ? pad[2 * k] : 0, after = k < n ? pad[2 * k + 1] : 0;
    if (edge == Edge::reflect && k < n) {
      TORCH_CHECK(first < size && after < size, op, ": Argument #", 4 + 2 * k,
                  ": Padding size should be less than the corresponding input dimension, but "
                  "got: padding (",
                  first, ", ", after, ") at dimension ", d, " of input ", self.sizes());
    }
    int64_t total;
    TORCH_CHECK(!__builtin_add_overflow(size, first, &total) &&
                    !__builtin_add_overflow(total, after, &total),
                op, ": padding (", first, ", ", after, ") of dimension ", d, " is too large");
    TORCH_CHECK(total >= 1 || k >= n, op, ": input (", self.sizes(),
                ") is too small. Calculated output size at dimension ", d, ": ", total);
    in[2 - k] = size;
    out[2 - k] = total;
    before[2 - k] = first;
    sizes[d] = total;
  }
}

PaddedShape PaddedShape::with_planes(int64_t n) const {
  PaddedShape merged(*this);
  for (int64_t d = 0; d < 3 - n; ++d) {
    merged.outer *= in[d];
    merged.in[d] = merged.out[d] = 1;
  }
  return merged;
}

PaddedShape PaddedShape::with_channels_last() const {
  PaddedShape moved(*this);
  for (int d : {0, 1, 2}) {
    const int from = (d + 1) % 3;
    moved.in[d] = in[from];
    moved.out[d] = out[from];
    moved.before[d] = before[from];
  }
  return moved;
}

namespace {

bool is_channels_last(const Tensor& t, int64_t n) {
  return n == 2 && t.suggest_memory_format() == MemoryFormat::ChannelsLast &&
         t.is_contiguous(MemoryFormat::ChannelsLast);
}

Tensor pad_edges(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op) {
  PaddedShape shape(self, pad, n, edge, op);
  const DeviceType device = self.device().type();
  MemoryFormat format = n > 1 ? self.suggest_memory_format() : MemoryFormat::Contiguous;
  if (is_channels_last(self, n)) {
    Tensor result = at::empty(shape.sizes, self.options(), format);
    pad_edges_stub(device, shape.with_channels_last(), self, result, op);
    return result;
  }
  Tensor result = empty_tensor(shape.sizes, self.scalar_type(), self.device());
  pad_edges_stub(device, shape.with_planes(n), at::contiguous(self), result, op);
  return at::contiguous(result, format);
}

Tensor pad_edges_backward(const Tensor& grad, const Tensor& self, IntArrayRef pad, int64_t n,
                          Edge edge, const char* op) {
  PaddedShape shape(self, pad, n, edge, op);
  TORCH_CHECK(grad.sizes() == IntArrayRef(shape.sizes), op, ": gradient has sizes ", grad.sizes(),
              ", expected ", IntArrayRef(shape.sizes));
  const DeviceType device = self.device().type();
  if (is_channels_last(self, n)) {
    const MemoryFormat format = MemoryFormat::ChannelsLast;
    Tensor result = at::empty(self.sizes(), grad.options(), format);
    if (result.numel() == 0) return result;
    pad_edges_backward_stub(device, shape.with_channels_last(), at::contiguous(grad, format),
                            result, op);
    return result;
  }
  Tensor result = at::empty(self.sizes(), grad.options());
  if (result.numel() == 0) return result;
  pad_edges_backward_stub(device, shape.with_planes(n), at::contiguous(grad), result, op);
  return result;
}

}  // namespace

Tensor reflection_pad1d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 1, Edge::reflect, "reflection_pad1d");
}
Tensor reflection_pad2d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 2, Edge::reflect, "reflection_pad2d");
}
Tensor reflection_pad3d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 3, Edge::reflect, "reflection_pad3d");
}
Tensor replication_pad1d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 1, Edge::replicate, "replication_pad1d");
}
Tensor replication_pad2d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 2, Edge::replicate, "replication_pad2d");
}
Tensor replication_pad3d(const Tensor& x, IntArrayRef p) {
  return pad_edges(x, p, 3, Edge::replicate, "replication_pad3d");
}

Tensor reflection_pad1d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 1, Edge::reflect, "reflection_pad1d_backward");
}
Tensor reflection_pad2d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 2, Edge::reflect, "reflection_pad2d_backward");
}
Tensor reflection_pad3d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 3, Edge::reflect, "reflection_pad3d_backward");
}
Tensor replication_pad1d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 1, Edge::replicate, "replication_pad1d_backward");
}
Tensor replication_pad2d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 2, Edge::replicate, "replication_pad2d_backward");
}
Tensor replication_pad3d_backward(const Tensor& g, const Tensor& x, IntArrayRef p) {
  return pad_edges_backward(g, x, p, 3, Edge::replicate, "replication_pad3d_backward");
}

}  // namespace at::native
