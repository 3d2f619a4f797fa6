// Reductions of pieces that lie one after the other, and their gradients, on CUDA devices: a thread
// for each element of the result.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/scatter/segment_reduce.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native {
namespace {

constexpr int kThreads = 128;

// f(piece, j, begin, end)
template <typename F>
__global__ void __launch_bounds__(kThreads)
    for_pieces(int64_t pieces, int64_t count, int64_t inner, const int64_t* ends, F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; k < pieces * inner;
       k += step) {
    const int64_t p = k / inner, at = p / count * (count + 1) + p % count;
    f(p, k % inner, ends[at], ends[at + 1]);
  }
}

template <typename F>
void for_each(const Segments& s, const Tensor& ends, const F& f) {
  c10::OptionalDeviceGuard guard(ends.device());
  const int64_t pieces = s.outer * s.count, n = pieces * s.inner;
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 0x7fffffff);
  c10::cuda::launch(for_pieces<F>, {static_cast<unsigned>(blocks), kThreads},
                    c10::cuda::getCurrentCUDAStream(), pieces, s.count, s.inner,
                    static_cast<const int64_t*>(ends.data_ptr()), f);
}

template <typename T>
struct Reduce {
  SegmentMath<T> math;
  const T* from;
  T* to;
  __device__ void operator()(int64_t p, int64_t j, int64_t begin, int64_t end) const {
    math.reduce(p, j, begin, end, from, to);
  }
};
template <typename T>
struct Differentiate {
  SegmentMath<T> math;
  const T *grad, *reduced, *from;
  T* to;
  __device__ void operator()(int64_t p, int64_t j, int64_t begin, int64_t end) const {
    math.differentiate(p, j, begin, end, grad, reduced, from, to);
  }
};

template <typename T>
T* data_of(const Tensor& t) {
  return static_cast<T*>(t.data_ptr());
}

}  // namespace

static void segment_reduce_cuda(const Segments& segments, const Tensor& ends, const Tensor& data,
                                const Tensor& result) {
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    for_each(segments, ends,
             Reduce<T>{SegmentMath<T>(segments), data_of<T>(data), data_of<T>(result)});
  });
}

static void segment_reduce_backward_cuda(const Segments& segments, const Tensor& ends,
                                         const Tensor& grad, const Tensor& output,
                                         const Tensor& data, const Tensor& result) {
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    for_each(segments, ends,
             Differentiate<T>{SegmentMath<T>(segments), data_of<T>(grad), data_of<T>(output),
                              data_of<T>(data), data_of<T>(result)});
  });
}

REGISTER_CUDA_DISPATCH(segment_reduce_stub, &segment_reduce_cuda)
REGISTER_CUDA_DISPATCH(segment_reduce_backward_stub, &segment_reduce_backward_cuda)

}  // namespace at::native
