// The shape of multinomial samples.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/multinomial_native.h>

namespace at::native {

Tensor multinomial_meta(const Tensor& self, int64_t num_samples, bool replacement,
                        std::optional<Generator> /*generator*/) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "multinomial: prob_dist must be 1 or 2 dim, got ",
              self.dim());
  TORCH_CHECK(num_samples > 0, "multinomial: cannot sample n_sample <= 0 samples, got ",
              num_samples);
  TORCH_CHECK(replacement || num_samples <= self.sizes().back(),
              "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without "
              "replacement");
  DimVector sizes(self.sizes());
  sizes.back() = num_samples;
  return at::empty(sizes, self.options().dtype(kLong));
}

}  // namespace at::native
