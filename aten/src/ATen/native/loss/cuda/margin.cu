// Margin losses of classes on CUDA devices. A block computes a row, the scores of one sample.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/multi_margin_loss_backward_native.h>
#include <ATen/ops/multi_margin_loss_native.h>
#include <ATen/ops/multilabel_margin_loss_backward_native.h>
#include <ATen/ops/multilabel_margin_loss_forward_native.h>
#include <ATen/ops/sum.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(Reduction::None);
constexpr int64_t kMean = static_cast<int64_t>(Reduction::Mean);
constexpr unsigned kThreads = 128;

// The sum over the threads of the block, in all of them.
__device__ double block_sum(double value) {
  __shared__ double sums[kThreads];
  sums[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  const double sum = sums[0];
  __syncthreads();
  return sum;
}

template <typename T>
struct MultiMargin {
  const T *x, *weight;  // weight may be null
  const int64_t* label;
  int64_t classes;
  double margin;
  bool squares;

  __device__ int64_t label_of(int64_t row) const {
    C10_DEVICE_ASSERT(label[row] >= 0 && label[row] < classes);  // the target is within the classes
    return label[row];
  }
  __device__ double factor(int64_t row) const {
    return weight ? static_cast<double>(weight[label[row]]) : 1.0;
  }
};

template <typename T, typename Out>
__global__ void multi_margin_kernel(MultiMargin<T> m, Out* losses) {
  const int64_t row = blockIdx.x, own = m.label_of(row);
  const T* x = m.x + row * m.classes;
  const T base = static_cast<T>(m.margin) - x[own];
  double sum = 0;
  for (int64_t d = threadIdx.x; d < m.classes; d += kThreads) {
    const T z = base + x[d];
    if (d != own && z > 0) sum += static_cast<double>(m.squares ? z * z : z);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0)
    losses[row] = static_cast<Out>(sum * m.factor(row) / static_cast<double>(m.classes));
}

template <typename T>
__global__ void multi_margin_backward_kernel(MultiMargin<T> m, const T* grad, bool each,
                                             double scale, T* out) {
  const int64_t row = blockIdx.x, own = m.label_of(row);
  const T* x = m.x + row * m.classes;
  const T base = static_cast<T>(m.margin) - x[own];
  const T factor = static_cast<T>(scale * m.factor(row)) * grad[each ? row : 0];
  double sum = 0;
  for (int64_t d = threadIdx.x; d < m.classes; d += kThreads) {
    if (d == own) continue;
    const T z = base + x[d];
    const T slope = z > 0 ? (m.squares ? 2 * factor * z : factor) : T(0);
    out[row * m.classes + d] = slope;
    sum += static_cast<double>(slope);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[row * m.classes + own] = static_cast<T>(-sum);
}

// The labels of a row end at -1.
__device__ int64_t label_at(const int64_t* label, int64_t k, int64_t classes) {
  C10_DEVICE_ASSERT(label[k] >= -1 && label[k] < classes);
  return label[k];
}

template <typename T, typename Out>
__global__ void multilabel_kernel(const T* scores, const int64_t* labels, int64_t classes, T* marks,
                                  Out* losses) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * classes;
  const T* x = scores + at;
  const int64_t* label = labels + at;
  T* mark = marks + at;
  for (int64_t d = threadIdx.x; d < classes; d += kThreads) mark[d] = T(0);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int64_t k = 0; k < classes; ++k) {
      const int64_t own = label_at(label, k, classes);
      if (own < 0) break;
      mark[own] = T(1);
    }
  }
  __syncthreads();
  double sum = 0;
  for (int64_t k = 0; k < classes && label[k] >= 0; ++k) {
    const T base = T(1) - x[label[k]];
    for (int64_t d = threadIdx.x; d < classes; d += kThreads) {
      const T z = base + x[d];
      if (mark[d] == T(0) && z > 0) sum += static_cast<double>(z);
    }
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) losses[blockIdx.x] = static_cast<Out>(sum / static_cast<double>(classes));
}

template <typename T>
__global__ void multilabel_backward_kernel(const T* scores, const int64_t* labels, int64_t classes,
                                           const T* marks, const T* grad, bool each, double scale,
                                           T* to) {
  const int64_t row = blockIdx.x, at = row * classes;
  const T* x = scores + at;
  const int64_t* label = labels + at;
  const T* mark = marks + at;
  T* out = to + at;
  const T slope = static_cast<T>(scale) * grad[each ? row : 0];
  for (int64_t d = threadIdx.x; d < classes; d += kThreads) out[d] = T(0);
  for (int64_t k = 0; k < classes; ++k) {
    const int64_t own = label_at(label, k, classes);
    if (own < 0) break;
    const T base = T(1) - x[own];
    double sum = 0;
    for (int64_t d = threadIdx.x; d < classes; d += kThreads) {
      if (mark[d] != T(0) || base + x[d] <= 0) continue;
      out[d] += slope;  // the thread's own element
      sum += static_cast<double>(slope);
    }
    sum = block_sum(sum);  // its barriers come before the writes to the label's element
    if (threadIdx.x == 0) out[own] -= static_cast<T>(sum);
    __syncthreads();
  }
}

struct Rows {
  explicit Rows(const Tensor& self)
      : count(self.dim() == 2 ? self.sizes()[0] : 1),
        classes(self.dim() == 0 ? 1 : self.sizes().back()),
        stream(c10::cuda::getCurrentCUDAStream(self.device().index())) {}
  c10::cuda::LaunchShape shape() const { return {static_cast<unsigned>(count), kThreads}; }
  // The factor of the gradient of one row, without grad_output.
  double scale(int64_t reduction) const {
    const double scale = 1.0 / static_cast<double>(classes);
    return reduction == kMean ? scale / static_cast<double>(count) : scale;
  }

  int64_t count, classes;
  cudaStream_t stream;
};

template <typename T>
T* data(const Tensor& t) {
  return t.defined() ? static_cast<T*>(t.data_ptr()) : nullptr;
}
Tensor dense_output(const Tensor& out) {
  return out.is_contiguous() ? out : at::empty(out.sizes(), out.options());
}
void write_back(const Tensor& out, const Tensor& dense) {
  if (!dense.is_same(out)) at::copy_(const_cast<Tensor&>(out), dense);
}

// Runs compute(losses of rows) and writes them, their sum or their mean. The mean of no rows is 0,
// as in PyTorch.
template <typename F>
void write_losses(const Rows& rows, const Tensor& output, int64_t reduction, const F& compute) {
  const bool each = reduction == kNone;
  Tensor losses =
      each ? dense_output(output) : at::empty({rows.count}, output.options().dtype(kDouble));
  if (rows.count > 0) compute(losses);
  if (each) return write_back(output, losses);
  Tensor total = at::sum(losses);
  if (reduction == kMean && rows.count > 0) total = at::div(total, Scalar(rows.count));
  at::copy_(const_cast<Tensor&>(output), total);
}

template <typename F>
void dispatch_scores(const Tensor& self, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(self.scalar_type(), op, f);
}

// The operands of multi_margin_loss, dense.
struct Dense {
  Dense(const Tensor& self, const Tensor& target, const OptionalTensor& weight_)
      : x(at::contiguous(self)), labels(at::contiguous(target)) {
    if (weight_ && weight_->defined()) weight = at::contiguous(*weight_);
  }
  template <typename T>
  MultiMargin<T> as(const Rows& rows, const Scalar& p, const Scalar& margin) const {
    return {data<T>(x),   data<T>(weight),   data<int64_t>(labels),
            rows.classes, margin.toDouble(), p.toDouble() != 1};
  }
  Tensor x, labels, weight;
};

}  // namespace

static void multi_margin_loss_kernel(const Tensor& self, const Tensor& target, const Scalar& p,
                                     const Scalar& margin, const OptionalTensor& weight,
                                     int64_t reduction, const Tensor& output) {
  c10::OptionalDeviceGuard guard(self.device());
  const Rows rows(self);
  const Dense dense(self, target, weight);
  dispatch_scores(self, "multi_margin_loss_cuda", [&]<typename T>(TypeTag<T>) {
    const auto m = dense.as<T>(rows, p, margin);
    write_losses(rows, output, reduction, [&](const Tensor& to) {
      if (reduction == kNone)
        c10::cuda::launch(multi_margin_kernel<T, T>, rows.shape(), rows.stream, m, data<T>(to));
      else
        c10::cuda::launch(multi_margin_kernel<T, double>, rows.shape(), rows.stream, m,
                          data<double>(to));
    });
  });
}

static void multi_margin_loss_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                              const Tensor& target, const Scalar& p,
                                              const Scalar& margin, const OptionalTensor& weight,
                                              int64_t reduction, const Tensor& output) {
  c10::OptionalDeviceGuard guard(self.device());
  const Rows rows(self);
  const Dense dense(self, target, weight);
  Tensor grad = at::contiguous(grad_output), to = dense_output(output);
  if (rows.count > 0) {
    dispatch_scores(self, "multi_margin_loss_backward_cuda", [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(multi_margin_backward_kernel<T>, rows.shape(), rows.stream,
                        dense.as<T>(rows, p, margin), data<T>(grad),
                        grad.dim() > 0 && reduction == kNone, rows.scale(reduction), data<T>(to));
    });
  }
  write_back(output, to);
}

static void multilabel_forward_kernel(const Tensor& self, const Tensor& target, int64_t reduction,
                                      const Tensor& output, const Tensor& is_target) {
  c10::OptionalDeviceGuard guard(self.device());
  const Rows rows(self);
  Tensor x = at::contiguous(self), labels = at::contiguous(target), marks = dense_output(is_target);
  dispatch_scores(self, "multilabel_margin_loss_forward_cuda", [&]<typename T>(TypeTag<T>) {
    write_losses(rows, output, reduction, [&](const Tensor& to) {
      auto run = [&](auto* kernel, auto* losses) {
        c10::cuda::launch(kernel, rows.shape(), rows.stream, data<T>(x), data<int64_t>(labels),
                          rows.classes, data<T>(marks), losses);
      };
      if (reduction == kNone) run(multilabel_kernel<T, T>, data<T>(to));
      else run(multilabel_kernel<T, double>, data<double>(to));
    });
  });
  write_back(is_target, marks);
}

static void multilabel_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                       const Tensor& target, int64_t reduction,
                                       const Tensor& is_target, const Tensor& output) {
  c10::OptionalDeviceGuard guard(self.device());
  const Rows rows(self);
  Tensor x = at::contiguous(self), labels = at::contiguous(target),
         marks = at::contiguous(is_target), grad = at::contiguous(grad_output),
         to = dense_output(output);
  if (rows.count > 0) {
    dispatch_scores(self, "multilabel_margin_loss_backward_cuda", [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(multilabel_backward_kernel<T>, rows.shape(), rows.stream, data<T>(x),
                        data<int64_t>(labels), rows.classes, data<T>(marks), data<T>(grad),
                        grad.dim() > 0 && reduction == kNone, rows.scale(reduction), data<T>(to));
    });
  }
  write_back(output, to);
}

REGISTER_CUDA_DISPATCH(multi_margin_loss_stub, &multi_margin_loss_kernel)
REGISTER_CUDA_DISPATCH(multi_margin_loss_backward_stub, &multi_margin_loss_backward_kernel)
REGISTER_CUDA_DISPATCH(multilabel_margin_loss_forward_stub, &multilabel_forward_kernel)
REGISTER_CUDA_DISPATCH(multilabel_margin_loss_backward_stub, &multilabel_backward_kernel)

}  // namespace at::native
