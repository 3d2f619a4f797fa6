// Random fills on CUDA devices.

#include <cfloat>
#include <cmath>
#include <mutex>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/bernoulli__native.h>
#include <ATen/ops/cauchy__native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/exponential__native.h>
#include <ATen/ops/geometric__native.h>
#include <ATen/ops/log_normal__native.h>
#include <ATen/ops/normal__native.h>
#include <ATen/ops/random__native.h>
#include <ATen/ops/uniform__native.h>
#include <ATen/ops/view_as_real.h>
#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/RandomFill.cuh>

namespace at::native {
namespace {

using OptionalGenerator = std::optional<Generator>;

template <typename M>
struct Uniform {
  M from, to;
  // Drawn from (0, 1]: 1 counts as 0, and what rounds to the excluded end as the other one.
  __device__ M operator()(M u) const { return u == M(1) ? from : u * (to - from) + from; }
};
// Elements of a narrow type round once more.
template <typename T, typename M>
struct UniformElement {
  Uniform<M> uniform;
  __device__ T operator()(M u) const {
    const T x = static_cast<T>(uniform(u));
    return x == static_cast<T>(uniform.to) ? static_cast<T>(uniform.from) : x;
  }
};
template <typename M>
struct Normal {
  M mean, std;
  __device__ M operator()(M z) const { return z * std + mean; }
};
template <typename M>
struct LogNormal {
  M mean, std;
  __device__ M operator()(M z) const { return std::exp(z * std + mean); }
};
template <typename M>
struct Exponential {
  M lambd;
  __device__ M operator()(M u) const {
    // The logarithm of 1 is 0, which this distribution does not have.
    constexpr M smallest = std::numeric_limits<M>::epsilon() / 2;
    const M log = u >= M(1) - smallest ? -smallest : std::log(u);
    return M(-1) / lambd * log;
  }
};
template <typename M>
struct Geometric {
  M p;
  __device__ M operator()(M u) const { return std::ceil(std::log(u) / std::log1p(-p)); }
};
template <typename M>
struct Cauchy {
  M median, sigma;
  __device__ M operator()(M u) const {
    // The tangent of the ends is infinite.
    constexpr M epsilon = std::numeric_limits<M>::epsilon();
    const M inside = u > M(1) - epsilon ? M(1) - epsilon : u < epsilon ? epsilon : u;
    return median + sigma * std::tan(static_cast<M>(M_PI) * (inside - M(0.5)));
  }
};
template <typename M>
struct Bernoulli {
  M p;
  __device__ float operator()(M u) const { return u < p ? 1.0f : 0.0f; }
};

template <typename T>
struct Modulo {
  uint64_t size;
  __device__ T operator()(uint64_t word) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(word % size);
    else return static_cast<T>(static_cast<opmath_type<T>>(word % size));
  }
};
template <typename T>
struct InRange {
  uint64_t size;
  int64_t first;
  __device__ T operator()(uint64_t word) const {
    const auto value = static_cast<int64_t>(word % size + static_cast<uint64_t>(first));
    if constexpr (std::is_integral_v<T>) return static_cast<T>(value);
    else return static_cast<T>(static_cast<opmath_type<T>>(value));
  }
};
template <typename T>
struct AnyInteger {
  __device__ T operator()(uint64_t word) const {
    return static_cast<T>(static_cast<int64_t>(word));
  }
};

// A distribution over real numbers: F<M> with the state, for the types of the list.
template <template <typename> class F, typename Draw, typename List = FloatingAndReduced,
          typename... State>
void fill_reals(const Tensor& self, const char* op, const OptionalGenerator& generator,
                State... state) {
  dispatch_types<List>(self.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    using M = std::conditional_t<std::is_same_v<T, double>, double, float>;
    random_fill<T, M, Draw>(self, generator, F<M>{static_cast<M>(state)...});
  });
}

// Each thread makes four elements in a row, from a draw of its own.
constexpr int kBernoulliThreads = 512;
template <typename T, typename P>
__global__ void __launch_bounds__(kBernoulliThreads)
    bernoulli_tensor(int64_t n, cuda::PhiloxState state, loops::Strided<2> operands) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kBernoulliThreads + threadIdx.x;
  if (4 * thread >= n) return;
  Philox philox(state, static_cast<uint64_t>(thread));
  const auto drawn = uniform_numbers<float>(philox());
  for (int k = 0; k < 4 && 4 * thread + k < n; ++k) {
    char* address[2] = {operands.at.data[0], operands.at.data[1]};
    loops::advance(operands, static_cast<uint32_t>(4 * thread + k), address);
    const P p = *reinterpret_cast<const P*>(address[1]);
    C10_DEVICE_ASSERT(p >= P(0) && p <= P(1));
    *reinterpret_cast<T*>(address[0]) =
        static_cast<T>(static_cast<P>(drawn.value[k]) <= p ? 1.0f : 0.0f);
  }
}

// The numbers for real and imaginary parts alternate.
template <typename F>
bool is_filled_as_parts(const Tensor& self, const F& fill) {
  if (!self.is_complex()) return false;
  Tensor parts = at::view_as_real(self);
  fill(parts);
  return true;
}

}  // namespace

static void uniform_kernel(Tensor& self, double from, double to, OptionalGenerator generator) {
  if (is_filled_as_parts(self, [&](Tensor& parts) { uniform_kernel(parts, from, to, generator); }))
    return;
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "uniform_", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    random_fill<T, M, DrawUniform>(self, generator,
                                   UniformElement<T, M>{{static_cast<M>(static_cast<T>(from)),
                                                         static_cast<M>(static_cast<T>(to))}});
  });
}

static void normal_kernel(Tensor& self, double mean, double std, OptionalGenerator generator) {
  // Each part has half of the variance and the full mean.
  if (is_filled_as_parts(
          self, [&](Tensor& parts) { normal_kernel(parts, mean, std / M_SQRT2, generator); }))
    return;
  fill_reals<Normal, DrawNormal>(self, "normal_", generator, mean, std);
}

static void random_from_kernel(Tensor& self, int64_t from, std::optional<int64_t> to,
                               OptionalGenerator generator) {
  const IntegerRange range = integer_range(self.scalar_type(), from, to);
  if (range.size == 0) {
    return dispatch_types<TypeList<int64_t, double, float, BFloat16>>(self.scalar_type(), "random_",
                                                                      [&]<typename T>(TypeTag<T>) {
      random_fill<T, uint64_t, DrawWord>(self, generator, AnyInteger<T>());
    });
  }
  dispatch_types<RealTypes, bool, UnsignedTypes>(self.scalar_type(), "random_",
                                                 [&]<typename T>(TypeTag<T>) {
    const InRange<T> f{range.size, range.first};
    // Wide ranges take words of 64 bits, else the bias would be visible.
    if (range.size >= uint64_t(1) << 28) random_fill<T, uint64_t, DrawWord>(self, generator, f);
    else random_fill<T, uint32_t, DrawWord>(self, generator, f);
  });
}

static void random_to_kernel(Tensor& self, int64_t to, OptionalGenerator generator) {
  random_from_kernel(self, 0, to, generator);
}

static void random_kernel(Tensor& self, OptionalGenerator generator) {
  dispatch_types<RealTypes, bool, UnsignedTypes>(self.scalar_type(), "random_",
                                                 [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      random_fill<T, uint32_t, DrawWord>(self, generator, Modulo<T>{2});
    } else if constexpr (!std::is_integral_v<T>) {
      using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
      random_fill<T, Word, DrawWord>(
          self, generator, Modulo<T>{(uint64_t(1) << std::numeric_limits<T>::digits) + 1});
    } else {
      using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
      const auto max = static_cast<uint64_t>(std::numeric_limits<T>::max());
      random_fill<T, Word, DrawWord>(self, generator, Modulo<T>{max + (max == UINT64_MAX ? 0 : 1)});
    }
  });
}

static void bernoulli_float_kernel(Tensor& self, double p, OptionalGenerator generator) {
  fill_reals<Bernoulli, DrawUniform, JoinT<RealTypes, bool>>(self, "bernoulli_", generator, p);
}

static void bernoulli_tensor_kernel(Tensor& self, const Tensor& p, OptionalGenerator generator) {
  if (self.numel() == 0) return;
  c10::OptionalDeviceGuard guard(self.device());
  Tensor probabilities = p.scalar_type() == kDouble || p.scalar_type() == kFloat
                             ? p
                             : at::_to_copy(p, TensorOptions(kFloat));
  auto iter = TensorIteratorConfig("bernoulli_")
                  .add_output(self)
                  .add_input(at::expand(probabilities, self.sizes()))
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .build();
  auto* gen = cuda::cuda_generator_or_default(generator, self.device());
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    const int64_t n = piece.numel(), threads = (n + 3) / 4;
    const auto operands = loops::strided_of<2>(piece);
    std::lock_guard<std::mutex> lock(gen->mutex_);
    const cuda::PhiloxState state = gen->reserve(10);
    void (*kernel)(int64_t, cuda::PhiloxState, loops::Strided<2>) = nullptr;
    dispatch_types<RealTypes, bool>(self.scalar_type(), "bernoulli_", [&]<typename T>(TypeTag<T>) {
      kernel = probabilities.scalar_type() == kDouble ? bernoulli_tensor<T, double>
                                                      : bernoulli_tensor<T, float>;
    });
    c10::cuda::launch(kernel,
                      {static_cast<unsigned>((threads + kBernoulliThreads - 1) / kBernoulliThreads),
                       kBernoulliThreads},
                      c10::cuda::getCurrentCUDAStream(self.device().index()), n, state, operands);
  });
}

static void exponential_kernel(Tensor& self, double lambd, OptionalGenerator generator) {
  fill_reals<Exponential, DrawUniform>(self, "exponential_", generator, lambd);
}
static void geometric_kernel(Tensor& self, double p, OptionalGenerator generator) {
  fill_reals<Geometric, DrawUniform, RealTypes>(self, "geometric_", generator, p);
}
static void log_normal_kernel(Tensor& self, double mean, double std, OptionalGenerator generator) {
  fill_reals<LogNormal, DrawNormal>(self, "log_normal_", generator, mean, std);
}
static void cauchy_kernel(Tensor& self, double median, double sigma, OptionalGenerator generator) {
  fill_reals<Cauchy, DrawUniform>(self, "cauchy_", generator, median, sigma);
}

REGISTER_CUDA_DISPATCH(uniform_stub, &uniform_kernel)
REGISTER_CUDA_DISPATCH(normal_stub, &normal_kernel)
REGISTER_CUDA_DISPATCH(random_from_stub, &random_from_kernel)
REGISTER_CUDA_DISPATCH(random_to_stub, &random_to_kernel)
REGISTER_CUDA_DISPATCH(random_stub, &random_kernel)
REGISTER_CUDA_DISPATCH(bernoulli_float_stub, &bernoulli_float_kernel)
REGISTER_CUDA_DISPATCH(bernoulli_tensor_stub, &bernoulli_tensor_kernel)
REGISTER_CUDA_DISPATCH(exponential_stub, &exponential_kernel)
REGISTER_CUDA_DISPATCH(geometric_stub, &geometric_kernel)
REGISTER_CUDA_DISPATCH(log_normal_stub, &log_normal_kernel)
REGISTER_CUDA_DISPATCH(cauchy_stub, &cauchy_kernel)

}  // namespace at::native
