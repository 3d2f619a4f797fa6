// Connectionist temporal classification on CUDA devices (Graves et al. 2006): the recursions over
// time, one block for each sample, and one for each sample and time in the gradient.
//
// A target of n labels has 2n + 1 states: a blank before, between and after the labels. Odd states
// are labels. All values are logarithms.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/loss/log_sums.h>
#include <ATen/ops/_ctc_loss_backward_native.h>
#include <ATen/ops/_ctc_loss_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

constexpr unsigned kThreads = 128;

// The targets of a batch, and the log probabilities, (time, batch, classes).
template <typename T>
struct Samples {
  const T* probs;
  const int64_t *targets, *begins, *target_lengths, *input_lengths;
  int64_t batch, classes, blank, time;
  int64_t stride;  // states in a row of alpha, (batch, time, states)

  __device__ int64_t states(int64_t b) const { return 2 * target_lengths[b] + 1; }
  __device__ int64_t label(int64_t b, int64_t state) const {
    if (state % 2 == 0) return blank;
    const int64_t c = targets[begins[b] + state / 2];
    C10_DEVICE_ASSERT(c >= 0 && c < classes);  // the target is a class
    return c;
  }
  // Whether a path may go from state s - 2 to state s: not over a blank that separates equal
  // labels.
  __device__ bool skips(int64_t b, int64_t s) const {
    return s > 1 && s % 2 && label(b, s) != label(b, s - 2);
  }
  __device__ int64_t row(int64_t t, int64_t b) const { return (t * batch + b) * classes; }
  __device__ int64_t states_row(int64_t t, int64_t b) const { return (b * time + t) * stride; }
};

template <typename T>
__global__ void __launch_bounds__(kThreads) forward_kernel(Samples<T> in, T* alpha, T* losses) {
  const int64_t b = blockIdx.x, states = in.states(b), used = in.input_lengths[b];
  for (int64_t t = 0; t < in.time; ++t) {
    const T* p = in.probs + in.row(t, b);
    T* now = alpha + in.states_row(t, b);
    const T* last = now - in.stride;
    for (int64_t s = threadIdx.x; s < in.stride; s += kThreads) {
      T value = kNever<T>;
      if (t < used && s < states) {
        if (t == 0) {
          if (s < 2) value = p[in.label(b, s)];
        } else {
          const T before = s > 0 ? last[s - 1] : kNever<T>;
          value =
              (in.skips(b, s) ? log_add(last[s], before, last[s - 2]) : log_add(last[s], before)) +
              p[in.label(b, s)];
        }
      }
      now[s] = value;
    }
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (used == 0) {
    losses[b] = states == 1 ? T(0) : -kNever<T>;
    return;
  }
  const T* end = alpha + in.states_row(used - 1, b);
  losses[b] = -log_add(end[states - 1], states > 1 ? end[states - 2] : kNever<T>);
}

template <typename T>
__global__ void __launch_bounds__(kThreads) beta_kernel(Samples<T> in, T* beta) {
  const int64_t b = blockIdx.x, states = in.states(b), used = in.input_lengths[b];
  for (int64_t t = used - 1; t >= 0; --t) {
    const T* p = in.probs + in.row(t, b);
    T* now = beta + in.states_row(t, b);
    const T* next = now + in.stride;
    for (int64_t s = threadIdx.x; s < states; s += kThreads) {
      T own;
      if (t == used - 1) {
        own = s >= states - 2 ? T(0) : kNever<T>;
      } else {
        const T after = s + 1 < states ? next[s + 1] : kNever<T>;
        own = s + 2 < states && in.skips(b, s + 2) ? log_add(next[s], after, next[s + 2])
                                                   : log_add(next[s], after);
      }
      now[s] = own + p[in.label(b, s)];
    }
    __syncthreads();
  }
}

// The sum over the threads of the block, in thread 0.
template <typename T>
__device__ T block_log_sum(T value) {
  __shared__ T sums[kThreads];
  sums[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] = log_add(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  return sums[0];
}

// With the sum over the states of each class: those of a label are added by the thread of its first
// state, in order, so that the result is the same in every run.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    gradient_kernel(Samples<T> in, const T* alpha, const T* beta, const T* losses, const T* factors,
                    bool zero_infinity, T* grad) {
  const int64_t t = blockIdx.x, b = blockIdx.y, states = in.states(b);
  const T loss = losses[b];
  T* g = grad + in.row(t, b);
  const bool skipped = zero_infinity && loss == -kNever<T>;
  const bool used = !skipped && t < in.input_lengths[b];
  for (int64_t c = threadIdx.x; c < in.classes; c += kThreads) g[c] = used ? kNever<T> : T(0);
  if (!used) return;
  const T *a = alpha + in.states_row(t, b), *z = beta + in.states_row(t, b);
  __syncthreads();
  T blanks = kNever<T>;
  for (int64_t s = threadIdx.x; s < states; s += kThreads) {
    const int64_t own = in.label(b, s);
    if (own == in.blank) {
      blanks = log_add(blanks, a[s] + z[s]);
      continue;
    }
    bool first = true;
    for (int64_t k = 1; k < s && first; k += 2) first = in.label(b, k) != own;
    if (!first) continue;
    T sum = a[s] + z[s];
    for (int64_t k = s + 2; k < states; k += 2) {
      if (in.label(b, k) == own) sum = log_add(sum, a[k] + z[k]);
    }
    g[own] = sum;
  }
  blanks = block_log_sum(blanks);
  if (threadIdx.x == 0) g[in.blank] = blanks;
  __syncthreads();
  const T* p = in.probs + in.row(t, b);
  for (int64_t c = threadIdx.x; c < in.classes; c += kThreads)
    g[c] = (std::exp(p[c]) - std::exp(g[c] + loss - p[c])) * factors[b];
}

// The operands of one call on the device.
struct Batch {
  Batch(const Tensor& log_probs, const Tensor& targets_, IntArrayRef input_lengths,
        IntArrayRef target_lengths, int64_t blank, const Tensor& log_alpha)
      : probs(at::contiguous(log_probs)),
        targets(at::contiguous(
            on_device(targets_.scalar_type() == kLong ? targets_ : at::_to_copy(targets_, kLong),
                      log_probs.device()))),
        blank(blank),
        stride(log_alpha.sizes()[2]),
        stream(c10::cuda::getCurrentCUDAStream(log_probs.device().index())) {
    // One copy to the device: input lengths, target lengths, and where targets begin.
    const size_t n = input_lengths.size();
    std::vector<int64_t> values(input_lengths.begin(), input_lengths.end());
    values.insert(values.end(), target_lengths.begin(), target_lengths.end());
    int64_t next = 0;
    for (size_t b = 0; b < n; ++b) {
      values.push_back(targets.dim() == 1 ? next : static_cast<int64_t>(b) * targets.sizes()[1]);
      next += target_lengths[b];
    }
    lengths = int64_tensor(values, log_probs.device());
  }
  template <typename T>
  Samples<T> samples() const {
    const auto* values = static_cast<const int64_t*>(lengths.data_ptr());
    const int64_t batch = probs.sizes()[1];
    return {static_cast<const T*>(probs.data_ptr()),
            static_cast<const int64_t*>(targets.data_ptr()),
            values + 2 * batch,
            values + batch,
            values,
            batch,
            probs.sizes()[2],
            blank,
            probs.sizes()[0],
            stride};
  }

  Tensor probs, targets, lengths;
  int64_t blank, stride;
  cudaStream_t stream;
};

}  // namespace

static void ctc_loss_kernel(const Tensor& log_probs, const Tensor& targets,
                            IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank,
                            bool, const Tensor& loss, const Tensor& log_alpha) {
  c10::OptionalDeviceGuard guard(log_probs.device());
  const Batch batch(log_probs, targets, input_lengths, target_lengths, blank, log_alpha);
  dispatch_types<FloatingTypes>(log_probs.scalar_type(), "ctc_loss_cuda",
                                [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(forward_kernel<T>, {static_cast<unsigned>(loss.numel()), kThreads},
                      batch.stream, batch.samples<T>(), static_cast<T*>(log_alpha.data_ptr()),
                      static_cast<T*>(loss.data_ptr()));
  });
}

static void ctc_loss_backward_kernel(const Tensor& grad, const Tensor& log_probs,
                                     const Tensor& targets, IntArrayRef input_lengths,
                                     IntArrayRef target_lengths, const Tensor& neg_log_likelihood,
                                     const Tensor& log_alpha, int64_t blank, bool zero_infinity,
                                     const Tensor& output) {
  c10::OptionalDeviceGuard guard(log_probs.device());
  const Batch batch(log_probs, targets, input_lengths, target_lengths, blank, log_alpha);
  Tensor factors = at::contiguous(grad), losses = at::contiguous(neg_log_likelihood),
         alpha = at::contiguous(log_alpha), beta = at::empty_like(alpha);
  Tensor to = output.is_contiguous() ? output : at::empty(output.sizes(), output.options());
  const auto time = static_cast<unsigned>(log_probs.sizes()[0]),
             samples = static_cast<unsigned>(log_probs.sizes()[1]);
  dispatch_types<FloatingTypes>(log_probs.scalar_type(), "ctc_loss_backward_cuda",
                                [&]<typename T>(TypeTag<T>) {
    const auto in = batch.samples<T>();
    c10::cuda::launch(beta_kernel<T>, {samples, kThreads}, batch.stream, in,
                      static_cast<T*>(beta.data_ptr()));
    c10::cuda::launch(
        gradient_kernel<T>, {dim3(time, samples), kThreads}, batch.stream, in,
        static_cast<const T*>(alpha.data_ptr()), static_cast<const T*>(beta.data_ptr()),
        static_cast<const T*>(losses.data_ptr()), static_cast<const T*>(factors.data_ptr()),
        zero_infinity, static_cast<T*>(to.data_ptr()));
  });
  if (!to.is_same(output)) at::copy_(const_cast<Tensor&>(output), to);
}

REGISTER_CUDA_DISPATCH(_ctc_loss_stub, &ctc_loss_kernel)
REGISTER_CUDA_DISPATCH(_ctc_loss_backward_stub, &ctc_loss_backward_kernel)

}  // namespace at::native
