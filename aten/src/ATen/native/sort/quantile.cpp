// quantile and nanquantile: sort the values and interpolate between two of them.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/all.h>
#include <ATen/ops/any.h>
#include <ATen/ops/ceil.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/nanquantile_native.h>
#include <ATen/ops/quantile_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/round.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

namespace at::native {
namespace {

enum class Between { linear, lower, higher, midpoint, nearest };

Between parse(std::string_view name, const char* op) {
  if (name == "linear") return Between::linear;
  if (name == "lower") return Between::lower;
  if (name == "higher") return Between::higher;
  if (name == "midpoint") return Between::midpoint;
  TORCH_CHECK(
      name == "nearest", op,
      "() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", name);
  return Between::nearest;
}

Tensor quantiles(const char* op, const Tensor& self, const Tensor& q, std::optional<int64_t> dim,
                 bool keepdim, std::string_view interpolation, bool ignore_nan) {
  int64_t d = maybe_wrap_dim(dim.value_or(0), self.dim(), op);
  Between between = parse(interpolation, op);
  TORCH_CHECK(self.numel() > 0, op, "() input tensor must be non-empty");
  TORCH_CHECK(q.dim() <= 1, op, "() q must be a scalar or 1D tensor, got one of ", q.dim(),
              " dimensions");
  TORCH_CHECK(self.scalar_type() == kFloat || self.scalar_type() == kDouble, op,
              "() input tensor must be either float or double dtype, got ",
              toString(self.scalar_type()));
  TORCH_CHECK(self.scalar_type() == q.scalar_type(), op,
              "() q tensor must be same dtype as the input tensor, got ",
              toString(q.scalar_type()));
  TORCH_CHECK(!may_read_at_once(q) ||
                  at::item(at::all(at::logical_and(at::ge(q, 0), at::le(q, 1)))).toBool(),
              op, "() q values must be in the range [0, 1]");

  DimVector out_shape;
  if (dim && self.dim() > 0) {
    out_shape = DimVector(self.sizes());
    if (keepdim) {
      out_shape[d] = 1;
    } else {
      out_shape.erase(out_shape.begin() + d);
    }
  } else if (keepdim) {
    out_shape = DimVector(self.dim(), 1);
  }
  if (q.dim() > 0) out_shape.insert(out_shape.begin(), q.numel());

  // The lines to reduce, sorted, NaN last.
  Tensor lines = !dim || self.dim() == 0 ? at::reshape(self, {1, -1}) : at::movedim(self, d, -1);
  int64_t n = lines.sizes().back();
  lines = std::get<0>(at::sort(at::reshape(lines, {-1, n})));

  // [lines, q]: positions along each line, in elements.
  Tensor rank;
  Tensor along = at::unsqueeze(at::reshape(q, {-1}), 0);
  Tensor nan = at::isnan(lines);
  if (ignore_nan) {
    Tensor count = at::sum(at::logical_not(nan), IntArrayRef(1), true);
    rank = at::clamp_min(along * (count - Scalar(1)), Scalar(0));
  } else {
    Tensor spoiled = at::any(nan, 1, true);
    rank = at::where(spoiled, Scalar(static_cast<double>(n - 1)),
                     along * Scalar(static_cast<double>(n - 1)));
  }
  if (rank.scalar_type() != self.scalar_type()) rank = at::_to_copy(rank, self.scalar_type());
  if (between == Between::lower) rank = at::floor(rank);
  if (between == Between::higher) rank = at::ceil(rank);
  if (between == Between::nearest) rank = at::round(rank);
  Tensor below = at::_to_copy(rank, kLong);
  Tensor values = at::gather(lines, -1, below);
  if (between == Between::linear || between == Between::midpoint) {
    Tensor above = at::_to_copy(at::ceil(rank), kLong);
    Tensor weight = between == Between::midpoint ? rank * Scalar(0) + Scalar(0.5)
                                                 : rank - at::_to_copy(below, rank.scalar_type());
    values = at::lerp(values, at::gather(lines, -1, above), weight);
  }
  // q is the result's first dimension.
  values = q.dim() == 0 ? at::squeeze(values, -1) : at::movedim(values, -1, 0);
  return at::reshape(values, out_shape);
}

Tensor number(const Tensor& self, double q, const char* op) {
  TORCH_CHECK(q >= 0 && q <= 1, op, "() q must be in the range [0, 1] but got ", q);
  return scalar_tensor_of(q, self.is_floating_point() ? self.scalar_type() : kFloat, self.device());
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles("quantile", self, q, dim, keepdim, interpolation, false);
}
Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantile(self, number(self, q, "quantile"), dim, keepdim, interpolation);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles("nanquantile", self, q, dim, keepdim, interpolation, true);
}
Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return nanquantile(self, number(self, q, "nanquantile"), dim, keepdim, interpolation);
}

}  // namespace at::native
