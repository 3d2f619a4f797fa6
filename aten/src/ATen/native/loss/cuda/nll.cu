// Negative log likelihood on CUDA devices. Inputs of (N, C), (C) and (N, C, H, W) are viewed as
// (N, C, inner).

#include <algorithm>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/nll_loss2d_backward_native.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss_backward_native.h>
#include <ATen/ops/nll_loss_forward_native.h>
#include <ATen/ops/zero_.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(Reduction::None);
constexpr int64_t kMean = static_cast<int64_t>(Reduction::Mean);
constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 256;

template <typename T>
struct Labels {
  const int64_t* label;
  const T* weight;  // of the classes; may be null
  int64_t ignore, classes, inner, positions;

  // The offset of the target's class at this position; -1 if it is ignored.
  __device__ int64_t at(int64_t position) const {
    const int64_t c = label[position];
    if (c == ignore) return -1;
    C10_DEVICE_ASSERT(c >= 0 && c < classes);  // the target is within the classes
    const int64_t n = inner == 1 ? position : position / inner;
    return (n * classes + c) * inner + (position - n * inner);
  }
  __device__ double weight_of(int64_t position) const {
    return weight ? static_cast<double>(weight[label[position]]) : 1.0;
  }
};

template <typename T>
__global__ void each_loss(Labels<T> labels, const T* x, T* out, T* total) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i == 0) *total = T(0);
  if (i >= labels.positions) return;
  const int64_t at = labels.at(i);
  out[i] = at < 0 ? T(0) : static_cast<T>(-static_cast<double>(x[at]) * labels.weight_of(i));
}

struct Sums {
  double loss, weight;
};

// The sum over the threads of the block, in thread 0.
__device__ Sums block_sum(Sums s) {
  __shared__ Sums of[kThreads];
  of[threadIdx.x] = s;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      of[threadIdx.x].loss += of[threadIdx.x + half].loss;
      of[threadIdx.x].weight += of[threadIdx.x + half].weight;
    }
  }
  __syncthreads();
  return of[0];
}

template <typename T>
__device__ void write_total(Sums s, T* out, T* total, bool mean) {
  *total = static_cast<T>(s.weight);
  *out = static_cast<T>(mean ? s.loss / s.weight : s.loss);
}

// A block's part of the sums; of a single block, the result.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    sum_losses(Labels<T> labels, const T* x, Sums* parts, T* out, T* total, bool mean) {
  Sums s{0, 0};
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < labels.positions;
       i += step) {
    const int64_t at = labels.at(i);
    if (at < 0) continue;
    const double w = labels.weight_of(i);
    s.loss -= static_cast<double>(x[at]) * w;
    s.weight += w;
  }
  s = block_sum(s);
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1) write_total(s, out, total, mean);
  else parts[blockIdx.x] = s;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    add_parts(const Sums* parts, int n, T* out, T* total, bool mean) {
  const auto i = static_cast<int>(threadIdx.x);
  const Sums s = block_sum(i < n ? parts[i] : Sums{0, 0});
  if (i == 0) write_total(s, out, total, mean);
}

template <typename T>
__global__ void scatter_gradients(Labels<T> labels, const T* grad, const T* total_weight, bool each,
                                  T* out) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= labels.positions) return;
  const int64_t at = labels.at(i);
  if (at < 0) return;
  double g = static_cast<double>(grad[each ? i : 0]);
  if (total_weight) g /= static_cast<double>(*total_weight);
  out[at] = static_cast<T>(-g * labels.weight_of(i));
}

// The operands of one call, dense.
struct Nll {
  Nll(const Tensor& self, const Tensor& target_, const OptionalTensor& weight_, int64_t ignore)
      : target(at::contiguous(target_.scalar_type() == kLong ? target_
                                                             : at::_to_copy(target_, kLong))),
        ignore(ignore) {
    if (weight_ && weight_->defined()) weight = at::contiguous(*weight_);
    classes = self.sizes()[self.dim() == 1 ? 0 : 1];
    inner = self.dim() == 4 ? self.sizes()[2] * self.sizes()[3] : 1;
  }
  template <typename T>
  Labels<T> labels() const {
    return {static_cast<const int64_t*>(target.data_ptr()),
            weight.defined() ? static_cast<const T*>(weight.data_ptr()) : nullptr,
            ignore,
            classes,
            inner,
            target.numel()};
  }
  int64_t blocks() const { return (target.numel() + kThreads - 1) / kThreads; }

  Tensor target, weight;
  int64_t ignore, classes, inner;
};

cudaStream_t stream_of(const Tensor& t) {
  return c10::cuda::getCurrentCUDAStream(t.device().index());
}
c10::cuda::LaunchShape shape(int64_t blocks) { return {static_cast<unsigned>(blocks), kThreads}; }

Tensor dense_output(const Tensor& out) {
  return out.is_contiguous() ? out : at::empty(out.sizes(), out.options());
}
void write_back(const Tensor& out, const Tensor& dense) {
  if (!dense.is_same(out)) at::copy_(const_cast<Tensor&>(out), dense);
}

}  // namespace

static void nll_loss_forward_kernel(const Tensor& self, const Tensor& target,
                                    const OptionalTensor& weight, int64_t reduction,
                                    int64_t ignore_index, const Tensor& output,
                                    const Tensor& total_weight) {
  c10::OptionalDeviceGuard guard(self.device());
  Tensor x = at::contiguous(self);
  const Nll nll(x, target, weight, ignore_index);
  const bool each = reduction == kNone && self.dim() != 1, mean = reduction == kMean;
  Tensor dense = dense_output(output);
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "nll_loss_forward_reduce_cuda_kernel",
                                     [&]<typename T>(TypeTag<T>) {
    const auto* in = static_cast<const T*>(x.data_ptr());
    auto *out = static_cast<T*>(dense.data_ptr()),
         *total = static_cast<T*>(total_weight.data_ptr());
    const auto labels = nll.labels<T>();
    cudaStream_t stream = stream_of(self);
    if (each) {
      // One block even for no positions: it clears the total.
      return c10::cuda::launch(each_loss<T>, shape(std::max<int64_t>(1, nll.blocks())), stream,
                               labels, in, out, total);
    }
    const int64_t blocks = std::clamp<int64_t>(nll.blocks() / 4, 1, kMaxBlocks);
    static_assert(kMaxBlocks <= kThreads, "one block adds the parts");
    Tensor parts = at::empty({blocks, 2}, self.options().dtype(kDouble));
    auto* sums = static_cast<Sums*>(parts.data_ptr());
    c10::cuda::launch(sum_losses<T>, shape(blocks), stream, labels, in, sums, out, total, mean);
    if (blocks > 1)
      c10::cuda::launch(add_parts<T>, shape(1), stream, sums, static_cast<int>(blocks), out, total,
                        mean);
  });
  write_back(output, dense);
}

static void nll_loss_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, const OptionalTensor& weight,
                                     int64_t reduction, int64_t ignore_index,
                                     const Tensor& total_weight, const Tensor& output) {
  c10::OptionalDeviceGuard guard(self.device());
  const Nll nll(self, target, weight, ignore_index);
  const bool each = reduction == kNone && self.dim() != 1;
  Tensor grad = at::contiguous(grad_output), dense = dense_output(output);
  at::zero_(dense);
  if (nll.target.numel() != 0 && dense.numel() != 0) {
    dispatch_types<FloatingAndReduced>(self.scalar_type(), "nll_loss_backward_reduce_cuda_kernel",
                                       [&]<typename T>(TypeTag<T>) {
      const auto* total =
          reduction == kMean ? static_cast<const T*>(total_weight.data_ptr()) : nullptr;
      c10::cuda::launch(scatter_gradients<T>, shape(nll.blocks()), stream_of(self), nll.labels<T>(),
                        static_cast<const T*>(grad.data_ptr()), total, each,
                        static_cast<T*>(dense.data_ptr()));
    });
  }
  write_back(output, dense);
}

REGISTER_CUDA_DISPATCH(nll_loss_forward_stub, &nll_loss_forward_kernel)
REGISTER_CUDA_DISPATCH(nll_loss2d_forward_stub, &nll_loss_forward_kernel)
REGISTER_CUDA_DISPATCH(nll_loss_backward_stub, &nll_loss_backward_kernel)
REGISTER_CUDA_DISPATCH(nll_loss2d_backward_stub, &nll_loss_backward_kernel)

}  // namespace at::native
