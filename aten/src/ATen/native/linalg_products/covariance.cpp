// Vandermonde, covariance and correlation matrices.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/any.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/corrcoef_native.h>
#include <ATen/ops/cov.h>
#include <ATen/ops/cov_native.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linalg_vander.h>
#include <ATen/ops/linalg_vander_native.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/real.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vander_native.h>
#include <ATen/ops/view.h>

namespace at::native {

// Ascending powers of every element along a new last dimension; those of integers are 64 bits wide.
static Tensor powers(const Tensor& elements, int64_t count) {
  const Tensor x = isIntegralType(elements.scalar_type(), true)
                       ? at::_to_copy(elements, TensorOptions(kLong))
                       : elements;
  DimVector sizes(x.sizes());
  sizes.push_back(std::min<int64_t>(count, 1));
  Tensor first = at::ones(sizes, x.options());
  if (count <= 1) return first;
  sizes.back() = count - 1;
  return at::cat({first, at::cumprod(at::expand(at::unsqueeze(x, -1), sizes), -1)}, -1);
}

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N) {
  const ScalarType t = x.scalar_type();
  TORCH_CHECK(t == kFloat || t == kDouble || t == kComplexFloat || t == kComplexDouble ||
                  isIntegralType(t, false),
              "linalg.vander supports floating point, complex, and integer tensors, but got ",
              toString(t));
  TORCH_CHECK(x.dim() >= 1, "linalg.vander: x must have at least one dimension");
  TORCH_CHECK(!N || *N > 1, "N must be greater than 1, got ", N.value_or(0));
  return powers(x, N ? *N : x.sizes().back());
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  TORCH_CHECK(x.dim() == 1, "torch.vander: x must be a one-dimensional tensor, got ", x.dim(),
              " dimensions");
  TORCH_CHECK(!N || *N >= 0, "torch.vander: N must not be negative, got ", N.value_or(0));
  Tensor result = powers(x, N ? *N : x.sizes()[0]);
  return increasing ? result : at::flip(result, {1});
}

static void check_weights(const Tensor& w, int64_t count, const char* name, bool integers) {
  TORCH_CHECK(w.dim() <= 1, "cov(): expected ", name, " to have one or fewer dimensions but got ",
              name, " with ", w.dim(), " dimensions");
  TORCH_CHECK(integers ? isIntegralType(w.scalar_type(), false) : isFloatingType(w.scalar_type()),
              "cov(): expected ", name, " to have ", integers ? "integral" : "floating point",
              " dtype but got ", name, " with ", toString(w.scalar_type()), " dtype");
  TORCH_CHECK(w.numel() == count, "cov(): expected ", name,
              " to have the same numel as there are observations in the input but got ", w.numel(),
              " != ", count);
  TORCH_CHECK(!may_read(w) || !at::item(at::any(at::lt(w, 0))).toBool(), "cov(): ", name,
              " cannot be negative");
}

Tensor cov(const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights,
           const std::optional<Tensor>& aweights) {
  TORCH_CHECK(self.dim() <= 2,
              "cov(): expected input to have two or fewer dimensions but got an input with ",
              self.dim(), " dimensions");
  TORCH_CHECK(self.scalar_type() != kBool, "cov(): bool dtype is not supported for input");
  Tensor x = self.dim() < 2 ? at::view(self, {1, self.numel()}) : self;
  const int64_t count = x.sizes()[1];
  Tensor w;
  if (fweights) {
    check_weights(*fweights, count, "fweights", true);
    w = *fweights;
  }
  if (aweights) {
    check_weights(*aweights, count, "aweights", false);
    w = w.defined() ? w * *aweights : *aweights;
  }
  Tensor total = w.defined() ? at::sum(w) : scalar_tensor_of(count, kLong, x.device());
  if (w.defined() && may_read(total))
    TORCH_CHECK(at::item(total).toDouble() != 0, "cov(): weights sum to zero, can't be normalized");
  Tensor mean = at::sum(w.defined() ? x * w : x, IntArrayRef{1}) / total;
  Tensor norm;
  bool is_positive = true;
  if (!w.defined()) {  // known without asking the device
    is_positive = count > correction;
    // A difference that does not fit is as large as any.
    const int64_t rest = correction < count - INT64_MAX ? INT64_MAX : count - correction;
    norm = scalar_tensor_of(is_positive ? rest : 0, kLong, x.device());
  } else {
    norm = total - correction;
    if (aweights && correction != 0) norm = total - at::sum(w * *aweights) * correction / total;
    is_positive = !may_read(norm) || at::item(norm).toDouble() > 0;
    if (!is_positive) norm = norm * 0;
  }
  if (!is_positive) {
    TORCH_WARN(
        "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
        "observations.");
  }
  Tensor centred = x - at::unsqueeze(mean, 1);
  Tensor weighted = w.defined() ? centred * w : centred;
  return at::squeeze(at::mm(centred, at::conj(at::t(weighted))) / norm);
}

Tensor corrcoef(const Tensor& self) {
  TORCH_CHECK(self.dim() <= 2,
              "corrcoef(): expected input to have two or fewer dimensions but got an input with ",
              self.dim(), " dimensions");
  Tensor c = at::cov(self);
  if (c.dim() == 0) return c / c;
  Tensor deviation = at::sqrt(c.is_complex() ? at::real(at::diagonal(c)) : at::diagonal(c));
  c = c / at::unsqueeze(deviation, 1) / at::unsqueeze(deviation, 0);
  if (c.is_complex())
    return at::complex(at::clamp(at::real(c), -1, 1), at::clamp(at::imag(c), -1, 1));
  return at::clamp(c, -1, 1);
}

}  // namespace at::native
