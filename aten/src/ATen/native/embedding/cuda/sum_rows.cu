// Sums of rows that are given by number, and the gradient of embedding, on CUDA devices.
//
// The numbers are sorted, so that those of a row are a run. Pieces of 64 numbers are summed by
// different threads, or a frequent row would occupy one thread alone: a run within a piece becomes
// a row of the result at once; the parts of a longer one are added in their order.

#include <ATen/OpMathType.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/embedding/cuda/sum_rows.h>
#include <ATen/native/embedding/embedding.h>
#include <ATen/ops/sort.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kPiece = 64;

template <typename T, typename M>
struct SumRows {
  const T* from;
  const int64_t* to;     // sorted
  const int64_t* order;  // where the numbers were
  const int64_t* source;
  const M* scale;
  T* result;
  M* partial;  // [pieces, 2, width]: of the run that begins before the piece, and of the last one
  int64_t n, width, num_rows;

  __device__ bool begins_run(int64_t i) const { return i == 0 || to[i - 1] != to[i]; }
  // The part of a run in the piece of its element i.
  __device__ M part(int64_t i, int64_t column, int64_t end) const {
    M sum = 0;
    for (int64_t k = i, row = to[i]; k < end && to[k] == row; ++k) {
      const int64_t at = order[k];
      const auto x = static_cast<M>(from[(source != nullptr ? source[at] : at) * width + column]);
      sum += scale != nullptr ? scale[at] * x : x;
    }
    return sum;
  }
  __device__ int64_t piece_end(int64_t i) const {
    const int64_t end = (i / kPiece + 1) * kPiece;
    return end < n ? end : n;
  }
  // Whether the run of element i goes on after the piece.
  __device__ bool goes_on(int64_t i) const {
    const int64_t end = piece_end(i);
    return end < n && to[end] == to[i];
  }
  __device__ M* partial_at(int64_t i, int64_t column) const {
    return partial + (2 * (i / kPiece) + (begins_run(i) ? 1 : 0)) * width + column;
  }
};

// f(element, column)
template <typename F>
__device__ void for_elements(int64_t n, int64_t width, const F& f) {
  const int64_t total = n * width, step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; k < total; k += step)
    f(k / width, k % width);
}

template <typename T, typename M>
__global__ void __launch_bounds__(kThreads) sum_pieces(SumRows<T, M> rows) {
  for_elements(rows.n, rows.width, [&](int64_t i, int64_t column) {
    const int64_t row = rows.to[i];
    C10_DEVICE_ASSERT(row < rows.num_rows && "index out of bounds");
    const bool begins = rows.begins_run(i);
    if (row < 0 || (!begins && i % kPiece != 0)) return;
    const M sum = rows.part(i, column, rows.piece_end(i));
    if (begins && !rows.goes_on(i)) rows.result[row * rows.width + column] = static_cast<T>(sum);
    else *rows.partial_at(i, column) = sum;
  });
}

template <typename T, typename M>
__global__ void __launch_bounds__(kThreads) join_pieces(SumRows<T, M> rows) {
  for_elements(rows.n, rows.width, [&](int64_t i, int64_t column) {
    const int64_t row = rows.to[i];
    if (row < 0 || !rows.begins_run(i) || !rows.goes_on(i)) return;
    M sum = *rows.partial_at(i, column);
    for (int64_t k = rows.piece_end(i); k < rows.n && rows.to[k] == row; k += kPiece)
      sum += *rows.partial_at(k, column);
    rows.result[row * rows.width + column] = static_cast<T>(sum);
  });
}

}  // namespace

void sum_rows_cuda(const Tensor& from, const Tensor& to, const Tensor& source, const Tensor& scale,
                   const Tensor& result) {
  const int64_t n = to.numel(), width = result.sizes()[1];
  if (n == 0 || result.sizes()[1] == 0) return;
  c10::OptionalDeviceGuard guard(result.device());
  const auto [sorted, order] = at::sort(to);
  dispatch_types<FloatingAndReduced, ComplexTypes>(result.scalar_type(), "embedding_backward_cuda",
                                                   [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const int64_t pieces = (n + kPiece - 1) / kPiece;
    Tensor partial = empty_tensor({2 * pieces * width * static_cast<int64_t>(sizeof(M))}, kByte,
                                  result.device());
    auto longs = [](const Tensor& t) {
      return t.defined() ? static_cast<const int64_t*>(t.data_ptr()) : nullptr;
    };
    const SumRows<T, M> rows{static_cast<const T*>(from.data_ptr()),
                             longs(sorted),
                             longs(order),
                             longs(source),
                             scale.defined() ? static_cast<const M*>(scale.data_ptr()) : nullptr,
                             static_cast<T*>(result.data_ptr()),
                             static_cast<M*>(partial.data_ptr()),
                             n,
                             width,
                             result.sizes()[0]};
    const c10::cuda::LaunchShape shape{
        static_cast<unsigned>(std::min<int64_t>((n * width + kThreads - 1) / kThreads, 0x7fffffff)),
        kThreads};
    auto stream = c10::cuda::getCurrentCUDAStream();
    c10::cuda::launch(sum_pieces<T, M>, shape, stream, rows);
    c10::cuda::launch(join_pieces<T, M>, shape, stream, rows);
  });
}

static void embedding_gradient_cuda(const Tensor& grad, const Tensor& rows, const Tensor& result) {
  sum_rows_cuda(grad, rows, Tensor(), Tensor(), result);
}
REGISTER_CUDA_DISPATCH(embedding_gradient_stub, &embedding_gradient_cuda)

}  // namespace at::native
