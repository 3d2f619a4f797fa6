// Leaky ReLU with random slopes, drawn in the order of the elements.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/activation/activation.h>
#include <ATen/native/common/TypeDispatch.h>

#include <mutex>

namespace at::native {

static void rrelu_kernel(const Tensor& self, double lower, double upper,
                         const std::optional<Generator>& generator, const Tensor& noise,
                         const Tensor& out) {
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<FloatingTypes, BFloat16>(self.scalar_type(), "rrelu_with_noise_out_cpu",
                                          [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(self.data_ptr());
    T *slope = static_cast<T*>(noise.data_ptr()), *to = static_cast<T*>(out.data_ptr());
    for (int64_t i = 0, n = self.numel(); i < n; ++i) {
      slope[i] = T(1);
      to[i] = x[i];
      if (x[i] <= T(0)) {
        slope[i] = static_cast<T>(gen->uniform_double() * (upper - lower) + lower);
        to[i] = static_cast<T>(x[i] * slope[i]);
      }
    }
  });
}
REGISTER_ALL_CPU_DISPATCH(rrelu_stub, &rrelu_kernel)

}  // namespace at::native
