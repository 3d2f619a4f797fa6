// Shapes and checks of samplers, and fills that return a new tensor.

#include <ATen/native/samplers/samplers.h>

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/_dirichlet_grad_native.h>
#include <ATen/ops/_sample_dirichlet_native.h>
#include <ATen/ops/_standard_gamma_grad_native.h>
#include <ATen/ops/_standard_gamma_native.h>
#include <ATen/ops/binomial_native.h>
#include <ATen/ops/cauchy__ops.h>
#include <ATen/ops/cauchy_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/exponential__ops.h>
#include <ATen/ops/exponential_native.h>
#include <ATen/ops/geometric__ops.h>
#include <ATen/ops/geometric_native.h>
#include <ATen/ops/log_normal__ops.h>
#include <ATen/ops/log_normal_native.h>
#include <ATen/ops/normal__ops.h>
#include <ATen/ops/normal_functional_native.h>
#include <ATen/ops/poisson_native.h>
#include <ATen/ops/random__ops.h>
#include <ATen/ops/random_native.h>
#include <ATen/ops/uniform__ops.h>
#include <ATen/ops/uniform_native.h>

namespace at {
namespace {

using OptionalGenerator = std::optional<Generator>;

void check_type(const char* op, const Tensor& t, bool reduced) {
  const ScalarType type = t.scalar_type();
  const bool full = type == kFloat || type == kDouble;
  TORCH_CHECK_NOT_IMPLEMENTED(full || (reduced && (type == kHalf || type == kBFloat16)), "\"", op,
                              "_cpu\" not implemented for '", toString(type), "'");
}

void check_same(const char* op, const char* name, const Tensor& first, const Tensor& t) {
  TORCH_CHECK(first.scalar_type() == t.scalar_type(), op, ": expected dtype ",
              dtypeName(first.scalar_type()), " for `", name, "` but got dtype ",
              dtypeName(t.scalar_type()));
}

}  // namespace

namespace meta {

void poisson(MetaBase& m, const Tensor& self, OptionalGenerator) {
  check_type("poisson", self, true);
  m.set_output(0, self.sizes(), self.options());
}
void _standard_gamma(MetaBase& m, const Tensor& self, OptionalGenerator) {
  check_type("gamma", self, false);
  m.set_output(0, self.sizes(), self.options());
}
void _sample_dirichlet(MetaBase& m, const Tensor& self, OptionalGenerator) {
  check_type("dirichlet", self, false);
  m.set_output(0, self.sizes(), self.options());
}

void _standard_gamma_grad(TensorIteratorBase& iter, const Tensor& self, const Tensor& output) {
  check_type("_standard_gamma_grad", self, false);
  check_same("_standard_gamma_grad", "output", self, output);
  iter.build_binary_op(self, output);
}
void _dirichlet_grad(TensorIteratorBase& iter, const Tensor& x, const Tensor& alpha,
                     const Tensor& total) {
  check_type("_dirichlet_grad", x, false);
  check_same("_dirichlet_grad", "alpha", x, alpha);
  check_same("_dirichlet_grad", "total", x, total);
  iter.build_ternary_op(x, alpha, total);
}

}  // namespace meta

namespace native {

Tensor binomial(const Tensor& count, const Tensor& prob, OptionalGenerator generator) {
  check_type("binomial", count, false);
  TORCH_CHECK(count.scalar_type() == prob.scalar_type(), "binomial: expected scalar type ",
              toString(count.scalar_type()), " for prob but found ", toString(prob.scalar_type()));
  std::vector<int64_t> sizes = infer_size(count.sizes(), prob.sizes());
  Tensor n = at::contiguous(at::expand(count, sizes)), p = at::contiguous(at::expand(prob, sizes));
  Tensor result = at::empty_like(n);
  if (result.numel() > 0) binomial_stub(result.device().type(), n, p, generator, result);
  return result;
}

Tensor normal_functional(const Tensor& self, double mean, double std, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::normal_::call(result, mean, std, generator);
}
Tensor uniform(const Tensor& self, double from, double to, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::uniform_::call(result, from, to, generator);
}
Tensor exponential(const Tensor& self, double lambd, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::exponential_::call(result, lambd, generator);
}
Tensor geometric(const Tensor& self, double p, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::geometric_::call(result, p, generator);
}
Tensor cauchy(const Tensor& self, double median, double sigma, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::cauchy_::call(result, median, sigma, generator);
}
Tensor log_normal(const Tensor& self, double mean, double std, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::log_normal_::call(result, mean, std, generator);
}
Tensor random(const Tensor& self, int64_t from, std::optional<int64_t> to,
              OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::random__from::call(result, from, to, generator);
}
Tensor random(const Tensor& self, int64_t to, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::random__to::call(result, to, generator);
}
Tensor random(const Tensor& self, OptionalGenerator generator) {
  Tensor result = at::empty_like(self);
  return _ops::random_::call(result, generator);
}

}  // namespace native
}  // namespace at
