// The gradient of samples by finite differences.
//
// Inner points use the parabola through three neighbors (Fornberg 1988). With edge_order 1 the two
// outer points use the line through their neighbor, with edge_order 2 the parabola of the three
// outermost points.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gradient_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace at::native {
namespace {

Tensor along(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  return at::narrow(t, dim, start, length);
}

std::vector<int64_t> all_dims(const Tensor& self, std::optional<int64_t> dim) {
  if (dim) return {*dim};
  std::vector<int64_t> dims(static_cast<size_t>(self.dim()));
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

std::vector<int64_t> check_gradient(const Tensor& self, IntArrayRef dims, int64_t edge_order) {
  TORCH_CHECK(self.scalar_type() != kByte, "torch.gradient does not support uint8 input.");
  TORCH_CHECK(edge_order == 1 || edge_order == 2,
              "torch.gradient only supports edge_order=1 and edge_order=2, got ", edge_order);
  std::vector<int64_t> found;
  for (int64_t d : dims) {
    const int64_t dim = maybe_wrap_dim(d, self.dim(), "gradient");
    TORCH_CHECK(std::find(found.begin(), found.end(), dim) == found.end(), "torch.gradient: dim ",
                dim, " appears multiple times in the list of dims");
    TORCH_CHECK(self.dim() == 0 || self.sizes()[static_cast<size_t>(dim)] > edge_order,
                "torch.gradient expected each dimension size to be at least edge_order + 1, ",
                edge_order + 1, ", got shape ", self.sizes());
    found.push_back(dim);
  }
  return found;
}

void check_count(size_t spacing, size_t dims) {
  TORCH_CHECK(
      spacing == dims,
      "torch.gradient expected spacing to be unspecified, one number, or of the length of dim, ",
      dims, ", got ", spacing);
}

// Equal distances.
Tensor difference(const Tensor& f, int64_t dim, const Scalar& step, int64_t edge_order) {
  const int64_t n = f.sizes()[static_cast<size_t>(dim)];
  auto at = [&](int64_t start, int64_t length) { return along(f, dim, start, length); };
  const Scalar two(2);
  Tensor first, last;
  if (edge_order == 1) {
    first = (at(1, 1) - at(0, 1)) / step;
    last = (at(n - 1, 1) - at(n - 2, 1)) / step;
  } else {
    first = (at(1, 1) * Scalar(4) - at(0, 1) * Scalar(3) - at(2, 1)) / step / two;
    last = (at(n - 1, 1) * Scalar(3) - at(n - 2, 1) * Scalar(4) + at(n - 3, 1)) / step / two;
  }
  if (n == 2) return at::cat({first, last}, dim);
  return at::cat({first, (at(2, n - 2) - at(0, n - 2)) / step / two, last}, dim);
}

// Distances from coordinates.
Tensor difference(const Tensor& f, int64_t dim, const Tensor& coordinates, int64_t edge_order) {
  const int64_t n = f.sizes()[static_cast<size_t>(dim)];
  TORCH_CHECK(coordinates.dim() == 1 && coordinates.numel() == n,
              "torch.gradient expected the coordinates of dimension ", dim,
              " to be a vector of length ", n, ", got shape ", coordinates.sizes());
  DimVector shape(static_cast<size_t>(f.dim()), 1);
  shape[static_cast<size_t>(dim)] = n - 1;
  Tensor steps =
      at::reshape(along(coordinates, 0, 1, n - 1) - along(coordinates, 0, 0, n - 1), shape);
  auto at = [&](int64_t start, int64_t length) { return along(f, dim, start, length); };
  auto step = [&](int64_t start, int64_t length) { return along(steps, dim, start, length); };
  Tensor first, last;
  if (edge_order == 1) {
    first = (at(1, 1) - at(0, 1)) / step(0, 1);
    last = (at(n - 1, 1) - at(n - 2, 1)) / step(n - 2, 1);
  } else {
    Tensor a = step(0, 1), b = step(1, 1);
    first = at(1, 1) * ((a + b) / (a * b)) - at(0, 1) * ((a * Scalar(2) + b) / (a * (a + b))) -
            at(2, 1) * (a / (b * (a + b)));
    a = step(n - 3, 1);
    b = step(n - 2, 1);
    last = at(n - 3, 1) * (b / (a * (a + b))) - at(n - 2, 1) * ((a + b) / (a * b)) +
           at(n - 1, 1) * ((a + b * Scalar(2)) / (b * (a + b)));
  }
  if (n == 2) return at::cat({first, last}, dim);
  Tensor a = step(0, n - 2), b = step(1, n - 2);
  Tensor inner = at(1, n - 2) * ((b - a) / (a * b)) - at(0, n - 2) * (b / (a * (a + b))) +
                 at(2, n - 2) * (a / (b * (a + b)));
  return at::cat({first, inner, last}, dim);
}

template <typename Spacing>
std::vector<Tensor> each_gradient(const Tensor& self, IntArrayRef dims, int64_t edge_order,
                                  const Spacing& spacing_of) {
  std::vector<Tensor> found;
  size_t k = 0;
  for (int64_t dim : check_gradient(self, dims, edge_order)) {
    if (self.dim() > 0) found.push_back(difference(self, dim, spacing_of(k++), edge_order));
  }
  return found;
}

}  // namespace

std::vector<Tensor> gradient(const Tensor& self, const Scalar& spacing, IntArrayRef dim,
                             int64_t edge_order) {
  return each_gradient(self, dim, edge_order, [&](size_t) { return spacing; });
}
std::vector<Tensor> gradient(const Tensor& self, const std::optional<Scalar>& spacing,
                             std::optional<int64_t> dim, int64_t edge_order) {
  return native::gradient(self, spacing.value_or(Scalar(1)), all_dims(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, IntArrayRef dim, int64_t edge_order) {
  return native::gradient(self, Scalar(1), dim, edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, IntArrayRef dim,
                             int64_t edge_order) {
  check_count(spacing.size(), dim.size());
  return each_gradient(self, dim, edge_order, [&](size_t k) { return spacing[k]; });
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing,
                             std::optional<int64_t> dim, int64_t edge_order) {
  return native::gradient(self, spacing, all_dims(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing, IntArrayRef dim,
                             int64_t edge_order) {
  check_count(spacing.size(), dim.size());
  return each_gradient(self, dim, edge_order, [&](size_t k) { return spacing[k]; });
}
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing, std::optional<int64_t> dim,
                             int64_t edge_order) {
  return native::gradient(self, spacing, all_dims(self, dim), edge_order);
}

}  // namespace at::native
