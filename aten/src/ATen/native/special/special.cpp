// Special functions: shape and type rules.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/polygamma.h>
#include <ATen/ops/polygamma__native.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/ops/round.h>
#include <ATen/ops/special_round_native.h>

namespace at {
namespace meta {

void logit(TensorIteratorBase& iter, const Tensor& self, std::optional<double>) {
  iter.build_unary_float_op(self);
}
void polygamma(TensorIteratorBase& iter, int64_t n, const Tensor& self) {
  TORCH_CHECK(n >= 0, "polygamma(n, x) does not support negative n, got ", n);
  iter.build_unary_float_op(self);
}

}  // namespace meta

namespace native {

Tensor& polygamma_(Tensor& self, int64_t n) {
  TORCH_CHECK(self.is_floating_point(),
              "polygamma_: result type Float can't be cast to the desired output type ",
              toString(self.scalar_type()));
  at::_ops::copy_::call(self, at::polygamma(n, self), false);
  return self;
}

Tensor special_round(const Tensor& self, int64_t decimals) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"round_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  return decimals == 0 ? at::round(self) : at::round(self, decimals);
}

}  // namespace native
}  // namespace at
