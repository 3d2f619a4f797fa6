// Softmax and its gradient on CUDA devices. A row is read twice: once for its maximum and the sum
// of exponentials, which is scaled again when the maximum grows (M. Milakov and N. Gimelshein,
// "Online normalizer calculation for softmax", 2018), and once for the result.

#include <cmath>
#include <limits>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/softmax/softmax.h>
#include <ATen/native/common/cuda/Rows.cuh>

namespace at::native {
namespace {

// The sum of exp(x - max) over some elements.
template <typename M>
struct Partial {
  M max, sum;
};

template <typename M>
__device__ Partial<M> combine(Partial<M> a, Partial<M> b) {
  // NaN is the maximum of anything.
  const M max = a.max > b.max || std::isnan(a.max) ? a.max : b.max;
  auto scaled = [&](Partial<M> p) { return p.max == max ? p.sum : p.sum * std::exp(p.max - max); };
  return {max, scaled(a) + scaled(b)};
}

template <bool log, typename T, typename Out, typename M>
__global__ void __launch_bounds__(kRowThreads)
    softmax_forward(Dense3 shape, const T* in, Out* out) {
  alignas(16) __shared__ char memory[kRowThreads * sizeof(Partial<M>)];
  auto* shared = reinterpret_cast<Partial<M>*>(memory);
  for_rows(shape, [&](int64_t first, int64_t row) {
    Partial<M> mine{-std::numeric_limits<M>::infinity(), M(0)};
    if (row >= 0)
      for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y)
        mine = combine(mine, Partial<M>{static_cast<M>(in[first + k * shape.inner]), M(1)});
    const auto whole =
        reduce_column(mine, shared, [](Partial<M> a, Partial<M> b) { return combine(a, b); });
    if (row < 0) return;
    const M log_sum = log ? std::log(whole.sum) : M(0), factor = log ? M(0) : M(1) / whole.sum;
    for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
      const int64_t at = first + k * shape.inner;
      const M x = static_cast<M>(in[at]) - whole.max;
      out[at] = static_cast<Out>(log ? x - log_sum : std::exp(x) * factor);
    }
  });
}

template <bool log, typename T, typename Out, typename M>
__global__ void __launch_bounds__(kRowThreads)
    softmax_backward(Dense3 shape, const T* grad, const T* y, Out* out) {
  __shared__ M shared[kRowThreads];
  for_rows(shape, [&](int64_t first, int64_t row) {
    M mine = 0;
    if (row >= 0) {
      for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
        const int64_t at = first + k * shape.inner;
        const auto g = static_cast<M>(grad[at]);
        mine += log ? g : g * static_cast<M>(y[at]);
      }
    }
    const M sum = reduce_column(mine, shared, [](M a, M b) { return a + b; });
    if (row < 0) return;
    for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
      const int64_t at = first + k * shape.inner;
      const auto g = static_cast<M>(grad[at]), p = static_cast<M>(y[at]);
      out[at] = static_cast<Out>(log ? g - std::exp(p) * sum : p * (g - sum));
    }
  });
}

// f(TypeTag of the operands, TypeTag of the result): the two agree, or one of them is float.
template <typename F>
void dispatch_pairs(ScalarType in, ScalarType out, const char* op, const F& f) {
  dispatch_types<FloatingAndReduced>(in, op, [&]<typename T>(TypeTag<T> from) {
    if (in == out) return f(from, from);
    if constexpr (sizeof(T) == 2) {
      TORCH_CHECK(out == kFloat, op, ": no kernel from ", toString(in), " to ", toString(out));
      f(from, TypeTag<float>());
    } else if constexpr (std::is_same_v<T, float>) {
      dispatch_types<ReducedTypes>(out, op, [&]<typename R>(TypeTag<R> to) { f(from, to); });
    } else {
      TORCH_CHECK(false, op, ": no kernel from ", toString(in), " to ", toString(out));
    }
  });
}

}  // namespace

static void softmax_cuda(bool log, const Tensor& in, const Tensor& out, int64_t dim) {
  c10::OptionalDeviceGuard guard(in.device());
  const Dense3 shape = dense_shape(in, dim);
  const RowLayout layout = row_layout(shape);
  dispatch_pairs(in.scalar_type(), out.scalar_type(), "softmax",
                 [&]<typename T, typename Out>(TypeTag<T>, TypeTag<Out>) {
    using M = opmath_type<T>;
    c10::cuda::launch(log ? softmax_forward<true, T, Out, M> : softmax_forward<false, T, Out, M>,
                      {layout.grid, layout.block}, c10::cuda::getCurrentCUDAStream(), shape,
                      static_cast<const T*>(in.data_ptr()), static_cast<Out*>(out.data_ptr()));
  });
}

static void softmax_backward_cuda(bool log, const Tensor& grad, const Tensor& y, const Tensor& out,
                                  int64_t dim) {
  c10::OptionalDeviceGuard guard(y.device());
  const Dense3 shape = dense_shape(y, dim);
  const RowLayout layout = row_layout(shape);
  dispatch_pairs(y.scalar_type(), out.scalar_type(), "softmax_backward",
                 [&]<typename T, typename Out>(TypeTag<T>, TypeTag<Out>) {
    using M = opmath_type<T>;
    c10::cuda::launch(log ? softmax_backward<true, T, Out, M> : softmax_backward<false, T, Out, M>,
                      {layout.grid, layout.block}, c10::cuda::getCurrentCUDAStream(), shape,
                      static_cast<const T*>(grad.data_ptr()), static_cast<const T*>(y.data_ptr()),
                      static_cast<Out*>(out.data_ptr()));
  });
}

REGISTER_CUDA_DISPATCH(softmax_stub, &softmax_cuda)
REGISTER_CUDA_DISPATCH(softmax_backward_stub, &softmax_backward_cuda)

}  // namespace at::native
