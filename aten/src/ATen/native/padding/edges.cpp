// Reflection and replication padding: each padded dimension has a map from where the result is to
// where it comes from.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WideSums.h>
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
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

enum class Edge { reflect, replicate };

// The last three dimensions of an input, those before them as one, with the maps of each.
struct PaddedShape {
  int64_t outer = 1, in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  std::vector<int64_t> map[3];
  DimVector sizes;

  PaddedShape(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op)
      : sizes(self.sizes()) {
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
      int64_t before = k < n ? pad[2 * k] : 0, after = k < n ? pad[2 * k + 1] : 0;
      if (edge == Edge::reflect && k < n) {
        TORCH_CHECK(before < size && after < size, op, ": Argument #", 4 + 2 * k,
                    ": Padding size should be less than the corresponding input dimension, but "
                    "got: padding (",
                    before, ", ", after, ") at dimension ", d, " of input ", self.sizes());
      }
      int64_t total = size + before + after;
      TORCH_CHECK(total >= 1 || k >= n, op, ": input (", self.sizes(),
                  ") is too small. Calculated output size at dimension ", d, ": ", total);
      in[2 - k] = size;
      out[2 - k] = total;
      sizes[d] = total;
      auto& m = map[2 - k];
      m.resize(total);
      for (int64_t i = 0; i < total; ++i) {
        int64_t x = i - before;
        if (x < 0) x = edge == Edge::reflect ? -x : 0;
        if (x >= size) x = edge == Edge::reflect ? 2 * (size - 1) - x : size - 1;
        m[i] = std::min(std::max<int64_t>(x, 0), size - 1);
      }
    }
    for (auto& m : map) {
      if (m.empty()) m.push_back(0);
    }
  }

  // f(first element of the line in the input, in the output), plane after plane.
  template <typename F>
  void walk(const F& f) const {
    walk_planes([&](int64_t, const auto& lines) { lines(f); });
  }

  // f(plane, lines): lines(g) calls g as above for the lines of that plane.
  template <typename F>
  void walk_planes(const F& f) const {
    int64_t plane_in = in[0] * in[1] * in[2], plane_out = out[0] * out[1] * out[2];
    if (plane_in == 0 || plane_out == 0) return;
    parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(plane_out, 1)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        f(o, [&](const auto& line) {
          for (int64_t a = 0; a < out[0]; ++a) {
            for (int64_t b = 0; b < out[1]; ++b) {
              line(o * plane_in + (map[0][a] * in[1] + map[1][b]) * in[2],
                   o * plane_out + (a * out[1] + b) * out[2]);
            }
          }
        });
      }
    });
  }
};

// Channels-last: what moves are whole pixels.
Tensor pad_rows_of_channels(const Tensor& self, const PaddedShape& shape, const char* op) {
  Tensor result = at::empty(shape.sizes, self.options(), MemoryFormat::ChannelsLast);
  dispatch_types<NumberTypes>(self.scalar_type(), op, [](auto) {});
  const int64_t pixel = self.sizes()[1] * static_cast<int64_t>(self.itemsize());
  const char* from = static_cast<const char*>(self.data_ptr());
  char* to = static_cast<char*>(result.data_ptr());
  const int64_t rows = shape.out[1], width = shape.out[2];
  parallel_for(0, self.sizes()[0] * rows, 1 + kGrainSize / (1 + width * self.sizes()[1]),
               [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const char* line =
          from + (k / rows * shape.in[1] + shape.map[1][k % rows]) * shape.in[2] * pixel;
      for (int64_t c = 0; c < width; ++c)
        std::memcpy(to + (k * width + c) * pixel, line + shape.map[2][c] * pixel, pixel);
    }
  });
  return result;
}

Tensor pad_edges(const Tensor& self, IntArrayRef pad, int64_t n, Edge edge, const char* op) {
  PaddedShape shape(self, pad, n, edge, op);
  MemoryFormat format = n > 1 ? self.suggest_memory_format() : MemoryFormat::Contiguous;
  if (self.is_meta()) return at::empty(shape.sizes, self.options(), format);
  if (n == 2 && format == MemoryFormat::ChannelsLast && self.is_contiguous(format))
    return pad_rows_of_channels(self, shape, op);
  Tensor result = empty_tensor(shape.sizes, self.scalar_type(), self.device());
  Tensor input = at::contiguous(self);
  dispatch_types<NumberTypes>(self.scalar_type(), op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t* columns = shape.map[2].data();
    // Columns [first, past) are the input's own, one after another.
    const int64_t width = shape.out[2], first = std::min(std::max<int64_t>(pad[0], 0), width),
                  past = width - std::min(std::max<int64_t>(pad[1], 0), width);
    shape.walk([&](int64_t i, int64_t o) {
      T* row = to + o;
      for (int64_t c = 0; c < first; ++c) row[c] = from[i + columns[c]];
      if (past > first)
        std::memcpy(row + first, from + i + columns[first], (past - first) * sizeof(T));
      for (int64_t c = std::max(first, past); c < width; ++c) row[c] = from[i + columns[c]];
    });
  });
  return at::contiguous(result, format);
}

Tensor pad_edges_backward(const Tensor& grad, const Tensor& self, IntArrayRef pad, int64_t n,
                          Edge edge, const char* op) {
  PaddedShape shape(self, pad, n, edge, op);
  TORCH_CHECK(grad.sizes() == IntArrayRef(shape.sizes), op, ": gradient has sizes ", grad.sizes(),
              ", expected ", IntArrayRef(shape.sizes));
  Tensor result = at::zeros(self.sizes(), grad.options());
  if (result.numel() == 0 || result.is_meta()) return result;
  Tensor g = at::contiguous(grad);
  dispatch_types<FloatingAndReduced, ComplexTypes>(grad.scalar_type(), op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(g.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t* columns = shape.map[2].data();
    const int64_t plane = shape.in[0] * shape.in[1] * shape.in[2];
    shape.walk_planes([&](int64_t p, const auto& lines) {
      WideSums<T> sums;
      SumType<T>* image = sums.open(to + p * plane, plane);
      lines([&](int64_t i, int64_t o) {
        SumType<T>* line = image + (i - p * plane);
        for (int64_t c = 0; c < shape.out[2]; ++c)
          line[columns[c]] += static_cast<SumType<T>>(from[o + c]);
      });
      sums.close();
    });
  });
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
