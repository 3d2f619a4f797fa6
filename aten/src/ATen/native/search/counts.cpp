// bincount and histc: checks, ranges and types.

#include <cmath>

#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/search/search.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/bincount_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

Tensor dense_as(const Tensor& t, ScalarType type) {
  return at::contiguous(t.scalar_type() == type ? t : at::_to_copy(t, type));
}

}  // namespace

Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "bincount: minlength should be >= 0, got ", minlength);
  TORCH_CHECK_NOT_IMPLEMENTED(isIntegralType(self.scalar_type()),
                              "\"bincount_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  bool weighted = weights && weights->defined();
  ScalarType type = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  if (self.dim() == 1 && self.numel() == 0) {
    return at::zeros({minlength}, self.options().dtype(kLong));
  }
  TORCH_CHECK(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(!weighted || (weights->dim() == 1 && weights->numel() == self.numel()),
              "bincount: weights should be 1-d and have the same length as input");
  check_same_device("bincount", {&self, weighted ? &*weights : &self});
  Tensor x = at::contiguous(self), w = weighted ? dense_as(*weights, type) : Tensor();
  const auto [smallest, largest] = integer_bounds_stub(x.device().type(), x);
  TORCH_CHECK(smallest >= 0, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(largest < INT64_MAX, "bincount: maximum value of input overflowed, it should be < ",
              INT64_MAX, " but got ", largest);
  Tensor out = at::zeros({std::max(largest + 1, minlength)}, self.options().dtype(type));
  bincount_stub(out.device().type(), x, w, out);
  return out;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"histogram_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  TORCH_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  double low = min.toDouble(), high = max.toDouble();
  Tensor x = dense_as(self, self.scalar_type() == kDouble ? kDouble : kFloat);
  if (low == high && x.numel() > 0) {
    auto range = at::aminmax(x);
    low = at::item(std::get<0>(range)).toDouble();
    high = at::item(std::get<1>(range)).toDouble();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high,
              "] is not finite");
  TORCH_CHECK(low < high, "torch.histc: max must be larger than min, got min ", low, " and max ",
              high);
  Tensor out = at::zeros({bins}, x.options());
  if (x.numel()) histc_stub(out.device().type(), x, low, high, out);
  return out.scalar_type() == self.scalar_type() ? out : at::_to_copy(out, self.scalar_type());
}

}  // namespace at::native
