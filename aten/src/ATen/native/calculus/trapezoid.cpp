// Integrals of samples by the trapezoidal rule.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/cumulative_trapezoid_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/trapezoid.h>
#include <ATen/ops/trapezoid_native.h>
#include <ATen/ops/trapz_native.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace at::native {
namespace {

int64_t check_samples(const char* op, const Tensor& y, const Tensor& x, int64_t dim) {
  TORCH_CHECK_INDEX(y.dim() > 0, op, ": Dimension specified as ", dim,
                    " but tensor has no dimensions");
  TORCH_CHECK(y.scalar_type() != kBool && (!x.defined() || x.scalar_type() != kBool), op,
              ": received a bool input for `x` or `y`, but bool is not supported");
  return maybe_wrap_dim(dim, y.dim(), op);
}

Tensor inner(const Tensor& t, int64_t dim, int64_t start) {
  return at::narrow(t, dim, start, t.sizes()[static_cast<size_t>(dim)] - 1);
}

// The distances of neighbors, in the dimensions of y.
Tensor distances(const char* op, const Tensor& y, const Tensor& x, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  Tensor shown = x;
  if (x.dim() == 1) {
    TORCH_CHECK(x.sizes()[0] == y.sizes()[d], op,
                ": There must be one `x` value for each sample point, ", y.sizes()[d], ", got ",
                x.sizes()[0]);
    DimVector shape(static_cast<size_t>(y.dim()), 1);
    shape[d] = x.sizes()[0];
    shown = at::reshape(x, shape);
  } else if (x.dim() < y.dim()) {
    DimVector shape(static_cast<size_t>(y.dim() - x.dim()), 1);
    for (int64_t size : x.sizes()) shape.push_back(size);
    shown = at::reshape(x, shape);
  }
  TORCH_CHECK(shown.sizes()[d] > 0, op, ": `x` has no values in dimension ", dim);
  return inner(shown, dim, 1) - inner(shown, dim, 0);
}

Tensor empty_integral(const Tensor& y, int64_t dim) {
  DimVector sizes(y.sizes());
  sizes.erase(sizes.begin() + dim);
  return at::zeros(sizes, y.options());
}

bool has_samples(const Tensor& y, int64_t dim) { return y.sizes()[static_cast<size_t>(dim)] > 0; }

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  dim = check_samples("trapezoid", y, x, dim);
  if (!has_samples(y, dim)) return empty_integral(y, dim);
  Tensor steps = distances("trapezoid", y, x, dim);
  return at::sum((inner(y, dim, 0) + inner(y, dim, 1)) * steps, dim) / Scalar(2);
}

Tensor trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  dim = check_samples("trapezoid", y, Tensor(), dim);
  if (!has_samples(y, dim)) return empty_integral(y, dim);
  Tensor ends = at::select(y, dim, 0) + at::select(y, dim, -1);
  return (at::sum(y, dim) - ends * Scalar(0.5)) * dx;
}

Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim) { return at::trapezoid(y, x, dim); }
Tensor trapz(const Tensor& y, double dx, int64_t dim) { return at::trapezoid(y, dx, dim); }

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  dim = check_samples("cumulative_trapezoid", y, x, dim);
  if (!has_samples(y, dim)) return at::zeros_like(y);
  Tensor steps = distances("cumulative_trapezoid", y, x, dim);
  return at::cumsum((inner(y, dim, 0) + inner(y, dim, 1)) * steps, dim) / Scalar(2);
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  dim = check_samples("cumulative_trapezoid", y, Tensor(), dim);
  if (!has_samples(y, dim)) return at::zeros_like(y);
  return at::cumsum(inner(y, dim, 0) + inner(y, dim, 1), dim) * dx / Scalar(2);
}

}  // namespace at::native
