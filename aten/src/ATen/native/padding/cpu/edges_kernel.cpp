// The loops of reflection and replication padding.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WideSums.h>
#include <ATen/native/padding/edges.h>

namespace at::native {
namespace {

// f(plane, lines): lines(g) calls g as above for the lines of that plane.
template <typename F>
void walk_planes(const PaddedShape& s, const F& f) {
  int64_t plane_in = s.in[0] * s.in[1] * s.in[2], plane_out = s.out[0] * s.out[1] * s.out[2];
  if (plane_in == 0 || plane_out == 0) return;
  parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(plane_out, 1)),
               [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      f(o, [&](const auto& line) {
        for (int64_t a = 0; a < s.out[0]; ++a) {
          for (int64_t b = 0; b < s.out[1]; ++b) {
            line(o * plane_in + (s.map[0][a] * s.in[1] + s.map[1][b]) * s.in[2],
                 o * plane_out + (a * s.out[1] + b) * s.out[2]);
          }
        }
      });
    }
  });
}

// f(first element of the line in the input, in the output), plane after plane.
template <typename F>
void walk(const PaddedShape& s, const F& f) {
  walk_planes(s, [&](int64_t, const auto& lines) { lines(f); });
}

}  // namespace

// Moves whole pixels.
static void pad_pixels_kernel(const PaddedShape& shape, const Tensor& self, const Tensor& result,
                              const char* op) {
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
}

static void pad_edges_kernel(const PaddedShape& shape, const Tensor& input, const Tensor& result,
                             int64_t before, int64_t after, const char* op) {
  dispatch_types<NumberTypes>(input.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t* columns = shape.map[2].data();
    // Columns [first, past) are copied from adjacent columns of the input.
    const int64_t width = shape.out[2], first = std::min(std::max<int64_t>(before, 0), width),
                  past = width - std::min(std::max<int64_t>(after, 0), width);
    walk(shape, [&](int64_t i, int64_t o) {
      T* row = to + o;
      for (int64_t c = 0; c < first; ++c) row[c] = from[i + columns[c]];
      if (past > first)
        std::memcpy(row + first, from + i + columns[first], (past - first) * sizeof(T));
      for (int64_t c = std::max(first, past); c < width; ++c) row[c] = from[i + columns[c]];
    });
  });
}

static void pad_edges_backward_kernel(const PaddedShape& shape, const Tensor& grad,
                                      const Tensor& result, const char* op) {
  dispatch_types<FloatingAndReduced, ComplexTypes>(grad.scalar_type(), op,
                                                   [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(grad.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t* columns = shape.map[2].data();
    const int64_t plane = shape.in[0] * shape.in[1] * shape.in[2];
    walk_planes(shape, [&](int64_t p, const auto& lines) {
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
}

REGISTER_DISPATCH(pad_pixels_stub, &pad_pixels_kernel)
REGISTER_DISPATCH(pad_edges_stub, &pad_edges_kernel)
REGISTER_DISPATCH(pad_edges_backward_stub, &pad_edges_backward_kernel)

}  // namespace at::native
