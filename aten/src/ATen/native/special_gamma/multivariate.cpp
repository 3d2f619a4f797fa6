// The multivariate gamma function (R. Muirhead, "Aspects of multivariate statistical
// theory", 2.1.12).

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/mvlgamma_native.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

Tensor mvlgamma(const Tensor& self, int64_t p) {
  TORCH_CHECK(p >= 1, "mvlgamma: expected p to be 1 or more, got ", p);
  TORCH_CHECK(self.scalar_type() != kBool, "mvlgamma: the input may not be a boolean tensor");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "mvlgamma is not implemented for ",
                              self.scalar_type());
  const ScalarType type = self.is_floating_point() ? self.scalar_type() : get_default_dtype();
  const Tensor x = type == self.scalar_type() ? self : at::_to_copy(self, type);
  Tensor halves = at::arange(0, static_cast<double>(p) / 2, 0.5, type, std::nullopt, self.device(),
                             std::nullopt);
  Tensor terms = at::lgamma(at::sub(at::unsqueeze(x, -1), halves));
  const double n = static_cast<double>(p);
  return at::add(at::sum(terms, {-1}), n * (n - 1) / 4 * std::log(M_PI));
}

}  // namespace at::native
