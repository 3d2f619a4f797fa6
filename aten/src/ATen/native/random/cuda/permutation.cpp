// randperm and multinomial on CUDA devices: orders of random keys.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/_assert_async.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/all.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exponential__ops.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/min.h>
#include <ATen/ops/multinomial_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/random__ops.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/uniform__ops.h>

namespace at::native {

// Of 2^32 keys of 64 bits two agree with a probability of one half; those keep their order.
static void randperm_cuda(const Tensor& result, const std::optional<Generator>& generator) {
  const int64_t n = result.numel();
  if (n == 0) return;
  Tensor keys = empty_tensor({n}, kLong, result.device()), to = result;
  at::_ops::random__from::call(keys, INT64_MIN, std::nullopt, generator);
  copy_(to, std::get<1>(at::sort(keys)), false);
}
REGISTER_CUDA_DISPATCH(randperm_stub, &randperm_cuda)

Tensor multinomial_cuda(const Tensor& self, int64_t num_samples, bool replacement,
                        std::optional<Generator> generator) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "multinomial: prob_dist must be 1 or 2 dim, got ",
              self.dim());
  TORCH_CHECK(isFloatingType(self.scalar_type()),
              "multinomial only supports floating-point dtypes for input, got: ",
              toString(self.scalar_type()));
  TORCH_CHECK(num_samples > 0, "multinomial: cannot sample n_sample <= 0 samples, got ",
              num_samples);
  const int64_t categories = self.sizes().back();
  TORCH_CHECK(
      replacement || num_samples <= categories,
      "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  DimVector sizes(self.sizes());
  sizes.back() = num_samples;
  if (self.numel() == 0) {
    TORCH_CHECK(categories > 0 || self.sizes()[0] == 0,
                "invalid multinomial distribution (sum of probabilities <= 0)");
    return empty_tensor(sizes, kLong, self.device());
  }
  const Tensor p = at::contiguous(at::_to_copy(self, kDouble));
  // Nothing waits for the values: what is wrong ends the kernel of an assertion. NaNs and
  // infinities reach the sums.
  const int64_t last = -1;
  const Tensor totals = at::sum(p, IntArrayRef(&last, 1));
  const Tensor fits = at::logical_and(at::isfinite(totals), at::gt(totals, Scalar(0)));
  at::_assert_async(at::logical_and(at::all(fits), at::ge(at::min(p), Scalar(0))),
                    "multinomial: probabilities have to be finite, at least 0, and not all 0");
  if (!replacement || num_samples == 1) {
    // The categories with the largest p / q, q exponential (Efraimidis and Spirakis 2006).
    Tensor q = at::empty_like(p);
    at::_ops::exponential_::call(q, 1, generator);
    return std::get<1>(at::topk(p / q, num_samples));
  }
  // The first category whose cumulative probability is above a uniform number in [0, 1).
  const Tensor sums = at::cumsum(p, -1);
  const Tensor up_to = sums / at::narrow(sums, -1, categories - 1, 1);
  Tensor u = empty_tensor(sizes, kDouble, self.device());
  at::_ops::uniform_::call(u, 0, 1, generator);
  return at::clamp_max(at::searchsorted(up_to, u, false, true), categories - 1);
}

}  // namespace at::native
