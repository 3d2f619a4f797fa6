// Comparisons of whole tensors, and with a tolerance.

#include <algorithm>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/all.h>
#include <ATen/ops/allclose_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/equal_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/isclose_native.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>

namespace at {
namespace meta {

// Every type converts to bool on loading, so there is nothing to promote; the result is bool.
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

namespace {

struct Tolerance {
  double rtol, atol;
  bool equal_nan;
};

void check_closeness(const Tensor& self, const Tensor& other, const Tolerance& t) {
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "isclose: ", toString(self.scalar_type()),
              " did not match ", toString(other.scalar_type()));
  TORCH_CHECK(t.rtol >= 0, "isclose: rtol must be greater than or equal to zero, but got ", t.rtol);
  TORCH_CHECK(t.atol >= 0, "isclose: atol must be greater than or equal to zero, but got ", t.atol);
}

// |self - other| <= atol + rtol * |other|, or equal: an infinity is close only to itself.
Tensor close_elements(const Tensor& self, const Tensor& other, const Tolerance& t) {
  const auto [rtol, atol, equal_nan] = t;
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

// Calls f(self, other) on parts along the longest dimension until it returns false, and returns
// that dimension. Parts are small enough to keep intermediate results in the caches, and large
// enough for each thread to have work.
template <typename F>
int64_t for_each_part(const Tensor& self, const Tensor& other, const F& f) {
  constexpr int64_t kPart = 1 << 16;
  const int64_t part = kPart * get_num_threads();
  const Tensor& larger = self.numel() >= other.numel() ? self : other;
  const Tensor& smaller = self.numel() >= other.numel() ? other : self;
  const DimVector shape(larger.sizes());
  if (larger.numel() <= 2 * part || !is_expandable_to(smaller.sizes(), shape)) {
    f(self, other);
    return 0;
  }
  const int64_t dim = std::max_element(shape.begin(), shape.end()) - shape.begin();
  const int64_t step = std::max<int64_t>(1, part / (larger.numel() / shape[dim]));
  Tensor a = at::expand(self, shape), b = at::expand(other, shape);
  for (int64_t start = 0; start < shape[dim]; start += step) {
    const int64_t length = std::min(step, shape[dim] - start);
    if (!f(at::narrow(a, dim, start, length), at::narrow(b, dim, start, length))) break;
  }
  return dim;
}

}  // namespace

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const Tolerance tolerance{rtol, atol, equal_nan};
  check_closeness(self, other, tolerance);
  std::vector<Tensor> parts;
  const int64_t dim = for_each_part(self, other, [&](const Tensor& a, const Tensor& b) {
    parts.push_back(close_elements(a, b, tolerance));
    return true;
  });
  return parts.size() == 1 ? parts[0] : at::cat(parts, dim);
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const Tolerance tolerance{rtol, atol, equal_nan};
  check_closeness(self, other, tolerance);
  bool close = true;
  for_each_part(self, other, [&](const Tensor& a, const Tensor& b) {
    return close = at::item(at::all(close_elements(a, b, tolerance))).toBool();
  });
  return close;
}

bool equal(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.device() == other.device(),
              "equal: Expected all tensors to be on the same device, but found ", self.device(),
              " and ", other.device());
  if (self.sizes() != other.sizes()) return false;
  if (self.numel() == 0) return true;
  auto same = [](const Tensor& a, const Tensor& b) {
    return at::item(at::all(at::eq(a, b))).toBool();
  };
  // Most tensors that differ do so near the start.
  constexpr int64_t kHead = 1 << 12;
  if (self.numel() >= 8 * kHead) {
    const int64_t rows = std::max<int64_t>(1, kHead * self.sizes()[0] / self.numel());
    if (!same(at::narrow(self, 0, 0, rows), at::narrow(other, 0, 0, rows))) return false;
  }
  bool all_same = true;
  for_each_part(self, other,
                [&](const Tensor& a, const Tensor& b) { return all_same = same(a, b); });
  return all_same;
}

}  // namespace native
}  // namespace at
