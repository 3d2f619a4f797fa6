// Comparisons of whole tensors, and with a tolerance.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/all.h>
#include <ATen/ops/allclose_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/equal_native.h>
#include <ATen/ops/isclose.h>
#include <ATen/ops/isclose_native.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/ne.h>

namespace at {
namespace meta {

// Every type converts to bool on the way in, so there is nothing to promote; the result is bool.
static void build_logical(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  iter.build_mixed_op_to(self, other, kBool);
}
void logical_and(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_logical(iter, self, other);
}
void logical_or(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_logical(iter, self, other);
}
void logical_xor(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_logical(iter, self, other);
}

}  // namespace meta

namespace native {

// |self - other| <= atol + rtol * |other|, or equal: infinities are close to themselves only.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "isclose: ", toString(self.scalar_type()),
              " did not match ", toString(other.scalar_type()));
  TORCH_CHECK(rtol >= 0, "isclose: rtol must be greater than or equal to zero, but got ", rtol);
  TORCH_CHECK(atol >= 0, "isclose: atol must be greater than or equal to zero, but got ", atol);
  Tensor close = at::eq(self, other);
  bool real_or_complex = self.is_floating_point() || self.is_complex();
  if (equal_nan && real_or_complex)
    close = at::logical_or(close, at::logical_and(at::ne(self, self), at::ne(other, other)));
  if (rtol == 0 && atol == 0) return close;
  // Integers are compared as floats: their differences could overflow.
  Tensor b = real_or_complex ? other : other * Scalar(1.0);
  Tensor a = real_or_complex ? self : self * Scalar(1.0);
  Tensor allowed = Scalar(atol) + at::abs(b * Scalar(rtol));
  Tensor actual = at::abs(a - b);
  return at::logical_or(close, at::logical_and(at::isfinite(actual), at::le(actual, allowed)));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return at::item(at::all(at::isclose(self, other, rtol, atol, equal_nan))).toBool();
}

bool equal(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.device() == other.device(),
              "equal: Expected all tensors to be on the same device, but found ", self.device(),
              " and ", other.device());
  if (self.sizes() != other.sizes()) return false;
  if (self.numel() == 0) return true;
  return at::item(at::all(at::eq(self, other))).toBool();
}

}  // namespace native
}  // namespace at
