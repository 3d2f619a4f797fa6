// Reflection and replication padding on CUDA devices: a thread for each element of the result.

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/padding/edges.h>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename T>
struct CopyPadded {
  PaddedDims dims;
  Dense4Division out;
  const T* from;
  T* to;
  __device__ void operator()(int64_t i) const {
    const auto [outer, at] = out.divide(i);
    const int64_t plane = outer * dims.in[0] + dims.source(0, at[0]),
                  row = plane * dims.in[1] + dims.source(1, at[1]);
    to[i] = from[row * dims.in[2] + dims.source(2, at[2])];
  }
};

// The elements of a padded dimension that come from element x: up to three ranges.
struct Copies {
  int64_t begin[3], end[3];
  int count = 0;
  __device__ Copies(const PaddedDims& dims, int d, int64_t x) {
    const int64_t first = dims.before[d], last = dims.in[d] - 1, place = x + first;
    if (dims.edge == Edge::replicate) {
      add(x == 0 ? 0 : place, x == last ? dims.out[d] : place + 1, dims.out[d]);
      return;
    }
    add(place, place + 1, dims.out[d]);
    if (x > 0) add(first - x, first - x + 1, dims.out[d]);
    const int64_t mirrored = first + 2 * last - x;
    if (x < last) add(mirrored, mirrored + 1, dims.out[d]);
  }
  __device__ void add(int64_t from, int64_t to, int64_t size) {
    begin[count] = from < 0 ? 0 : from;
    end[count] = to > size ? size : to;
    if (begin[count] < end[count]) ++count;
  }
  template <typename F>
  __device__ void each(const F& f) const {
    for (int k = 0; k < count; ++k)
      for (int64_t i = begin[k]; i < end[k]; ++i) f(i);
  }
};

template <typename T>
struct SumCopies {
  PaddedDims dims;
  Dense4Division in;
  const T* grad;
  T* to;
  __device__ void operator()(int64_t i) const {
    const auto [outer, at] = in.divide(i);
    const Copies planes(dims, 0, at[0]), rows(dims, 1, at[1]), columns(dims, 2, at[2]);
    opmath_type<T> sum(0);
    planes.each([&](int64_t a) {
      rows.each([&](int64_t b) {
        const T* row = grad + ((outer * dims.out[0] + a) * dims.out[1] + b) * dims.out[2];
        columns.each([&](int64_t c) { sum += static_cast<opmath_type<T>>(row[c]); });
      });
    });
    to[i] = static_cast<T>(sum);
  }
};

}  // namespace

static void pad_edges_cuda(const PaddedShape& shape, const Tensor& input, const Tensor& result,
                           const char* op) {
  dispatch_types<NumberTypes>(input.scalar_type(), op, [](auto) {});
  const int64_t n = result.numel();
  gpu_dispatch_bits(input.itemsize(), [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        result, n,
        CopyPadded<T>{shape, Dense4Division(shape.out, n), static_cast<const T*>(input.data_ptr()),
                      static_cast<T*>(result.data_ptr())});
  });
}

static void pad_edges_backward_cuda(const PaddedShape& shape, const Tensor& grad,
                                    const Tensor& result, const char* op) {
  const int64_t n = result.numel();
  dispatch_types<FloatingAndReduced, ComplexTypes>(grad.scalar_type(), op,
                                                   [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        result, n,
        SumCopies<T>{shape, Dense4Division(shape.in, n), static_cast<const T*>(grad.data_ptr()),
                     static_cast<T*>(result.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(pad_edges_stub, &pad_edges_cuda)
REGISTER_CUDA_DISPATCH(pad_edges_backward_stub, &pad_edges_backward_cuda)

}  // namespace at::native
