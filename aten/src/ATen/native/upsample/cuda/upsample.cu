// Interpolation along one dimension on CUDA devices. A kernel computes the table of taps, and
// another one applies it; backward, a thread looks up which output elements its input element
// contributes to.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/upsample/upsample.h>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

using upsample::ResampleRule;

template <typename T>
struct ComputeTaps {
  ResampleRule rule;
  int64_t* index;
  T* weight;
  __device__ void operator()(int64_t o) const {
    rule.taps_of(o, index + o * rule.taps, weight ? weight + o * rule.taps : nullptr);
  }
};

// The table on the device; weights of T.
template <typename T>
struct DeviceTable {
  Tensor index, weight;
  DeviceTable(const ResampleRule& rule, const Tensor& like)
      : index(empty_tensor({rule.out * rule.taps}, kLong, like.device())) {
    if (!rule.copies())
      weight =
          empty_tensor({rule.out * rule.taps}, c10::CppTypeToScalarType<T>::value, like.device());
    gpu_for_each(like, rule.out, ComputeTaps<T>{rule, indices(), weights()});
  }
  int64_t* indices() const { return static_cast<int64_t*>(index.data_ptr()); }
  T* weights() const { return weight.defined() ? static_cast<T*>(weight.data_ptr()) : nullptr; }
};

// Elements [outer, n, inner] of a tensor.
struct LineDivision {
  IndexDivision n, inner;
  LineDivision(int64_t outer, int64_t size, int64_t inner_size)
      : n(size, outer * size * inner_size), inner(inner_size, outer * size * inner_size) {}
};

template <typename T>
struct CopyElements {
  LineDivision out;
  int64_t in;
  const int64_t* index;
  const T* from;
  T* to;
  __device__ void operator()(int64_t i) const {
    const auto [row, j] = out.inner.divide(i);
    const auto [outer, o] = out.n.divide(row);
    to[i] = from[(outer * in + index[o]) * out.inner.size() + j];
  }
};

template <typename T>
struct Interpolate {
  LineDivision out;
  int64_t in, taps;
  const int64_t* index;
  const T *weight, *from;
  T* to;
  __device__ void operator()(int64_t i) const {
    const auto [row, j] = out.inner.divide(i);
    const auto [outer, o] = out.n.divide(row);
    T sum = 0;
    for (int64_t k = o * taps; k < (o + 1) * taps; ++k) {
      const T w = weight[k];
      if (w != T(0)) sum += w * from[(outer * in + index[k]) * out.inner.size() + j];
    }
    to[i] = sum;
  }
};

template <typename T>
struct SumContributions {
  LineDivision in;
  int64_t out, taps;
  const int64_t* index;
  const T *weight, *grad;  // no weight: all are 1
  T* to;
  // The first output element whose tap k is at x or later.
  __device__ int64_t first_at(int64_t x, int64_t k) const {
    int64_t begin = 0, end = out;
    while (begin < end) {
      const int64_t middle = (begin + end) / 2;
      if (index[middle * taps + k] < x) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
  __device__ void operator()(int64_t i) const {
    const auto [row, j] = in.inner.divide(i);
    const auto [outer, x] = in.n.divide(row);
    T sum = 0;
    const int64_t end = first_at(x + 1, 0);
    for (int64_t o = first_at(x, taps - 1); o < end; ++o) {
      T w = 0;
      for (int64_t k = 0; k < taps; ++k)
        if (index[o * taps + k] == x) w += weight ? weight[o * taps + k] : T(1);
      if (w != T(0)) sum += w * grad[(outer * out + o) * in.inner.size() + j];
    }
    to[i] = sum;
  }
};

}  // namespace

static void resample_cuda(const ResampleTable& t, const Tensor& input, const Tensor& output,
                          int64_t outer, int64_t inner) {
  const LineDivision out(outer, t.out, inner);
  if (t.copies()) {
    const DeviceTable<float> table(t, input);
    return gpu_dispatch_bits(input.itemsize(), [&]<typename T>(TypeTag<T>) {
      gpu_for_each(
          input, output.numel(),
          CopyElements<T>{out, t.in, table.indices(), static_cast<const T*>(input.data_ptr()),
                          static_cast<T*>(output.data_ptr())});
    });
  }
  dispatch_types<FloatingTypes>(input.scalar_type(), "upsample", [&]<typename T>(TypeTag<T>) {
    const DeviceTable<T> table(t, input);
    gpu_for_each(input, output.numel(),
                 Interpolate<T>{out, t.in, t.taps, table.indices(), table.weights(),
                                static_cast<const T*>(input.data_ptr()),
                                static_cast<T*>(output.data_ptr())});
  });
}

static void resample_backward_cuda(const ResampleTable& t, const Tensor& grad, const Tensor& output,
                                   int64_t outer, int64_t inner) {
  dispatch_types<FloatingTypes>(grad.scalar_type(), "upsample_backward",
                                [&]<typename T>(TypeTag<T>) {
    const DeviceTable<T> table(t, grad);
    gpu_for_each(
        grad, output.numel(),
        SumContributions<T>{LineDivision(outer, t.in, inner), t.out, t.taps, table.indices(),
                            table.weights(), static_cast<const T*>(grad.data_ptr()),
                            static_cast<T*>(output.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(resample_stub, &resample_cuda)
REGISTER_CUDA_DISPATCH(resample_backward_stub, &resample_backward_cuda)

}  // namespace at::native
