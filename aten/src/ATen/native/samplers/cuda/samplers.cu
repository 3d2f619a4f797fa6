// Samplers by rejection on CUDA devices. Every element has a sequence of numbers of its own.

#include <limits>
#include <mutex>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/samplers/algorithms.h>
#include <ATen/native/samplers/samplers.h>
#include <ATen/ops/_sample_dirichlet_native.h>
#include <ATen/ops/_standard_gamma_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/poisson_native.h>
#include <ATen/ops/sum.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Philox.cuh>

namespace at::native {
namespace {

using OptionalGenerator = std::optional<Generator>;

constexpr int kThreads = 256;
// The numbers of 32 bits that an element may take. More are unlikely enough to be shared with the
// next kernel.
constexpr uint64_t kReserved = 256;

class PhiloxDoubles {
 public:
  __device__ PhiloxDoubles(cuda::PhiloxState state, int64_t element)
      : philox_(state, static_cast<uint64_t>(element)) {}
  __device__ double uniform_double() {
    if (held_ == 0) {
      const auto drawn = uniform_numbers<double>(philox_());
      // Drawn from (0, 1].
      next_[0] = 1 - drawn.value[0];
      next_[1] = 1 - drawn.value[1];
      held_ = 2;
    }
    return next_[--held_];
  }
  __device__ double normal_double() { return normal_numbers<double>(philox_()).value[0]; }

 private:
  Philox philox_;
  double next_[2];
  int held_ = 0;
};

// The compiler would otherwise make a copy of the loops for each type of number.
struct Poisson {
  C10_NOINLINE __device__ static double sample(double mean, double, PhiloxDoubles& gen) {
    C10_DEVICE_ASSERT(mean >= 0 && "invalid Poisson rate, expected rate to be non-negative");
    return static_cast<double>(sample_poisson(mean, gen));
  }
};
struct Binomial {
  C10_NOINLINE __device__ static double sample(double count, double p, PhiloxDoubles& gen) {
    return sample_binomial(count, p, gen);
  }
};
struct Gamma {
  C10_NOINLINE __device__ static double sample(double alpha, double, PhiloxDoubles& gen) {
    return sample_gamma(alpha, gen);
  }
};

// Samples are at least `min`.
template <typename Distribution, typename T, typename Out>
__global__ void __launch_bounds__(kThreads)
    sample_kernel(int64_t n, cuda::PhiloxState state, const T* first, const T* second, double min,
                  Out* out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) {
    PhiloxDoubles gen(state, i);
    const double found =
        Distribution::sample(static_cast<double>(first[i]),
                             second != nullptr ? static_cast<double>(second[i]) : 0.0, gen);
    out[i] = static_cast<Out>(found < min ? min : found);
  }
}

// second: undefined if the distribution has one parameter. out: dense.
template <typename Distribution, typename Out, typename T>
void sample(const Tensor& first, const Tensor& second, const OptionalGenerator& generator,
            double min, const Tensor& out) {
  const int64_t n = out.numel();
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(out.device());
  auto* gen = cuda::cuda_generator_or_default(generator, out.device());
  std::lock_guard<std::mutex> lock(gen->mutex_);
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 0x7fffffff);
  c10::cuda::launch(sample_kernel<Distribution, T, Out>, {static_cast<unsigned>(blocks), kThreads},
                    c10::cuda::getCurrentCUDAStream(), n, gen->reserve(kReserved),
                    static_cast<const T*>(first.data_ptr()),
                    second.defined() ? static_cast<const T*>(second.data_ptr()) : nullptr, min,
                    static_cast<Out*>(out.data_ptr()));
}

}  // namespace

static void poisson_cuda(const Tensor& self, OptionalGenerator generator, const Tensor& out) {
  const Tensor mean = at::contiguous(self);
  DenseResult result(out, out.scalar_type());
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "poisson_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    sample<Poisson, T, T>(mean, Tensor(), generator, 0, result.tensor());
  });
  result.finish();
}

static void binomial_cuda(const Tensor& count, const Tensor& prob,
                          const OptionalGenerator& generator, const Tensor& out) {
  dispatch_types<FloatingTypes>(count.scalar_type(), "binomial_cuda", [&]<typename T>(TypeTag<T>) {
    sample<Binomial, T, T>(count, prob, generator, 0, out);
  });
}

static void standard_gamma_cuda(const Tensor& self, OptionalGenerator generator,
                                const Tensor& out) {
  const Tensor alpha = at::contiguous(self);
  DenseResult result(out, out.scalar_type());
  dispatch_types<FloatingTypes>(self.scalar_type(), "gamma_cuda", [&]<typename T>(TypeTag<T>) {
    // Samples that round to 0 become the smallest positive number, whose logarithm is finite.
    sample<Gamma, T, T>(alpha, Tensor(), generator, std::numeric_limits<T>::min(), result.tensor());
  });
  result.finish();
}

static void sample_dirichlet_cuda(const Tensor& self, OptionalGenerator generator,
                                  const Tensor& out) {
  const Tensor alpha = at::contiguous(self);
  const Tensor gammas = empty_tensor(self.sizes(), kDouble, self.device());
  dispatch_types<FloatingTypes>(self.scalar_type(), "dirichlet", [&]<typename T>(TypeTag<T>) {
    sample<Gamma, double, T>(alpha, Tensor(), generator, std::numeric_limits<double>::min(),
                             gammas);
    const int64_t last = -1;
    const Tensor shares =
        self.dim() > 0 ? gammas / at::sum(gammas, IntArrayRef(&last, 1), true) : gammas / gammas;
    constexpr double low = std::numeric_limits<T>::min(),
                     high = T(1) - std::numeric_limits<T>::epsilon() / 2;
    Tensor to = out;
    copy_(to, at::clamp(at::_to_copy(shares, out.scalar_type()), Scalar(low), Scalar(high)), false);
  });
}

REGISTER_CUDA_DISPATCH(poisson_stub, &poisson_cuda)
REGISTER_CUDA_DISPATCH(binomial_stub, &binomial_cuda)
REGISTER_CUDA_DISPATCH(_standard_gamma_stub, &standard_gamma_cuda)
REGISTER_CUDA_DISPATCH(_sample_dirichlet_stub, &sample_dirichlet_cuda)

}  // namespace at::native
