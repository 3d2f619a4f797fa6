// Samplers by rejection. Numbers are drawn in the order of the elements.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/samplers/algorithms.h>
#include <ATen/native/samplers/samplers.h>
#include <ATen/ops/_sample_dirichlet_native.h>
#include <ATen/ops/_standard_gamma_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/poisson_native.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

namespace at::native {
namespace {

using OptionalGenerator = std::optional<Generator>;

// Runs f on the types of a list, with contiguous input and output, under the generator's lock.
template <typename List, typename F>
void sample_each(const char* op, const Tensor& self, const OptionalGenerator& generator,
                 const Tensor& out, const F& f) {
  if (self.numel() == 0) return;
  Tensor in = at::contiguous(self);
  Tensor dense = out.is_contiguous() ? out : empty_tensor(out.sizes(), out.scalar_type());
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  {
    std::lock_guard<std::mutex> lock(gen->mutex_);
    dispatch_types<List>(self.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
      f(static_cast<const T*>(in.data_ptr()), static_cast<T*>(dense.data_ptr()), *gen);
    });
  }
  if (!dense.is_same(out)) copy_to_output(op, const_cast<Tensor&>(out), dense);
}

}  // namespace

static void poisson_kernel(const Tensor& self, OptionalGenerator generator, const Tensor& out) {
  const int64_t n = self.numel();
  sample_each<FloatingAndReduced>("poisson_cpu", self, generator, out,
                                  [&]<typename T>(const T* mean, T* to, CPUGeneratorImpl& gen) {
    // Half types have no conversion from integers.
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    for (int64_t i = 0; i < n; ++i) {
      const auto rate = static_cast<double>(mean[i]);
      TORCH_CHECK(rate >= 0, "invalid Poisson rate, expected rate to be non-negative, got ", rate);
      to[i] = static_cast<T>(static_cast<Wide>(sample_poisson(rate, gen)));
    }
  });
}

static void binomial_kernel(const Tensor& count, const Tensor& prob,
                            const OptionalGenerator& generator, const Tensor& out) {
  const int64_t n = count.numel();
  sample_each<FloatingTypes>("binomial_cpu", count, generator, out,
                             [&]<typename T>(const T* tries, T* to, CPUGeneratorImpl& gen) {
    const T* p = static_cast<const T*>(prob.data_ptr());
    for (int64_t i = 0; i < n; ++i)
      to[i] = static_cast<T>(
          sample_binomial(static_cast<double>(tries[i]), static_cast<double>(p[i]), gen));
  });
}

static void standard_gamma_kernel(const Tensor& self, OptionalGenerator generator,
                                  const Tensor& out) {
  const int64_t n = self.numel();
  sample_each<FloatingTypes>("gamma_cpu", self, generator, out,
                             [&]<typename T>(const T* alpha, T* to, CPUGeneratorImpl& gen) {
    // Samples that round to 0 become the smallest positive number, whose logarithm is finite.
    for (int64_t i = 0; i < n; ++i)
      to[i] = std::max(std::numeric_limits<T>::min(),
                       static_cast<T>(sample_gamma(static_cast<double>(alpha[i]), gen)));
  });
}

static void sample_dirichlet_kernel(const Tensor& self, OptionalGenerator generator,
                                    const Tensor& out) {
  const int64_t n = self.numel(), width = self.dim() > 0 ? self.sizes().back() : 1;
  sample_each<FloatingTypes>("dirichlet", self, generator, out,
                             [&]<typename T>(const T* alpha, T* to, CPUGeneratorImpl& gen) {
    // Logarithms would be needed for tiny concentrations; the smallest number stands for those.
    std::vector<double> gammas(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const double v = sample_gamma(static_cast<double>(alpha[i]), gen);
      gammas[static_cast<size_t>(i)] = std::max(std::numeric_limits<double>::min(), v);
    }
    constexpr T low = std::numeric_limits<T>::min(),
                high = T(1) - std::numeric_limits<T>::epsilon() / 2;
    for (int64_t row = 0; row < n; row += width) {
      double total = 0;
      for (int64_t k = row; k < row + width; ++k) total += gammas[static_cast<size_t>(k)];
      for (int64_t k = row; k < row + width; ++k)
        to[k] = std::clamp(static_cast<T>(gammas[static_cast<size_t>(k)] / total), low, high);
    }
  });
}

REGISTER_ALL_CPU_DISPATCH(poisson_stub, &poisson_kernel)
REGISTER_ALL_CPU_DISPATCH(binomial_stub, &binomial_kernel)
REGISTER_ALL_CPU_DISPATCH(_standard_gamma_stub, &standard_gamma_kernel)
REGISTER_ALL_CPU_DISPATCH(_sample_dirichlet_stub, &sample_dirichlet_kernel)

}  // namespace at::native
