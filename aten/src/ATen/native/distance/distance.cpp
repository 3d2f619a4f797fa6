// Distances between rows: shapes and checks.

#include <ATen/native/distance/distance.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_cdist_backward_native.h>
#include <ATen/ops/_cdist_forward.h>
#include <ATen/ops/_cdist_forward_native.h>
#include <ATen/ops/_euclidean_dist.h>
#include <ATen/ops/_euclidean_dist_native.h>
#include <ATen/ops/_pdist_backward_native.h>
#include <ATen/ops/_pdist_forward.h>
#include <ATen/ops/_pdist_forward_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cdist_native.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mT.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pdist_native.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

DimVector check_rows(const Tensor& x1, const Tensor& x2, double p, const char* op) {
  const Tensor* tensors[] = {&x1, &x2};
  for (int i = 0; i < 2; ++i) {
    TORCH_CHECK(isFloatingType(tensors[i]->scalar_type()), op,
                " only supports floating-point dtypes, X", i + 1,
                " got: ", toString(tensors[i]->scalar_type()));
    TORCH_CHECK(tensors[i]->dim() >= 2, op, " only supports at least 2D tensors, X", i + 1,
                " got: ", tensors[i]->dim(), "D");
  }
  check_same_type(x1, x2, op);
  TORCH_CHECK(columns_of(x1) == columns_of(x2), op,
              ": X1 and X2 must have the same number of columns. X1: ", columns_of(x1),
              " X2: ", columns_of(x2));
  TORCH_CHECK(p >= 0, op, " only supports non-negative p values, got ", p);
  return broadcast_batches(batch_sizes(x1), batch_sizes(x2));
}

// A contiguous batch with one dimension.
Tensor one_batch(const Tensor& t, IntArrayRef batch, int64_t rows, int64_t columns) {
  Tensor full = at::contiguous(at::expand(t, with_sizes(batch, {rows, columns})));
  return at::view(full, {product(batch), rows, columns});
}

void check_real_types(const Tensor& t, const char* op) {
  TORCH_CHECK_NOT_IMPLEMENTED(t.scalar_type() == kFloat || t.scalar_type() == kDouble, "\"", op,
                              "\" not implemented for '", toString(t.scalar_type()), "'");
}

}  // namespace

bool is_euclidean_by_products(const Tensor& x1, const Tensor& x2, double p,
                              std::optional<int64_t> compute_mode) {
  constexpr int64_t kManyRows = 25;
  const int64_t mode = compute_mode.value_or(0);
  return p == 2 && columns_of(x1) > 0 &&
         (mode == 1 || (mode == 0 && std::max(rows_of(x1), rows_of(x2)) > kManyRows));
}

// |x|^2 - 2 x y + |y|^2 in one product.
Tensor _euclidean_dist(const Tensor& x1, const Tensor& x2) {
  check_rows(x1, x2, 2, "_euclidean_dist");
  Tensor squares1 = at::sum(at::square(x1), IntArrayRef{-1}, true),
         squares2 = at::sum(at::square(x2), IntArrayRef{-1}, true);
  Tensor left = at::cat({x1 * -2, squares1, at::ones_like(squares1)}, -1);
  Tensor right = at::cat({x2, at::ones_like(squares2), squares2}, -1);
  return at::sqrt(at::clamp_min(at::matmul(left, at::mT(right)), 0));
}

Tensor _cdist_forward(const Tensor& x1, const Tensor& x2, double p,
                      std::optional<int64_t> compute_mode) {
  DimVector batch = check_rows(x1, x2, p, "cdist");
  const int64_t mode = compute_mode.value_or(0), m = rows_of(x1), n = rows_of(x2),
                k = columns_of(x1);
  TORCH_CHECK(mode >= 0 && mode <= 2, "cdist: compute_mode must be 0, 1 or 2, got ", mode);
  DimVector sizes = with_sizes(batch, {m, n});
  if (m == 0 || n == 0 || product(batch) == 0)
    return empty_tensor(sizes, x1.scalar_type(), x1.device());
  if (k == 0) return at::zeros(sizes, x1.options());
  if (is_euclidean_by_products(x1, x2, p, mode)) return at::_euclidean_dist(x1, x2);
  check_real_types(x1, "cdist");  // products have half types, too
  Tensor result = empty_tensor({product(batch), m, n}, x1.scalar_type(), x1.device());
  cdist_stub(x1.device().type(), one_batch(x1, batch, m, k), one_batch(x2, batch, n, k), p, result);
  return at::view(result, sizes);
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
  check_rows(x1, x2, p, "cdist");
  return at::_cdist_forward(x1, x2, p, compute_mode);
}

Tensor _cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                       const Tensor& distances) {
  DimVector batch = check_rows(x1, x2, p, "_cdist_backward");
  check_real_types(x1, "cdist_backward");
  check_same_type(x1, grad, "_cdist_backward");
  check_same_type(x1, distances, "_cdist_backward");
  const int64_t m = rows_of(x1), n = rows_of(x2), k = columns_of(x1);
  DimVector sizes = with_sizes(batch, {m, k});
  // p = 0 counts the differences, and their number is constant almost everywhere.
  const bool is_empty = m == 0 || n == 0 || k == 0 || product(batch) == 0;
  if (is_empty || p == 0) return at::zeros(sizes, x1.options());
  Tensor result = empty_tensor({product(batch), m, k}, x1.scalar_type(), x1.device());
  cdist_backward_stub(x1.device().type(), one_batch(grad, batch, m, n), one_batch(x1, batch, m, k),
                      one_batch(x2, batch, n, k), p, one_batch(distances, batch, m, n), result);
  return at::view(result, sizes);
}

// --- one matrix ---

Tensor pdist(const Tensor& self, double p) {
  TORCH_CHECK(self.dim() == 2, "pdist only supports 2D tensors, got: ", self.dim(), "D");
  TORCH_CHECK(isFloatingType(self.scalar_type()), "pdist only supports floating-point dtypes");
  TORCH_CHECK(p >= 0, "pdist only supports non-negative p values");
  return at::_pdist_forward(at::contiguous(self), p);
}

static int64_t check_pairs(const Tensor& self, double p, const char* op) {
  TORCH_CHECK(self.dim() == 2, op, " only supports 2D tensors, got: ", self.dim(), "D");
  TORCH_CHECK(p >= 0, op, " only supports non-negative p values");
  check_real_types(self, "pdist");
  const int64_t n = self.sizes()[0];
  return n * (n - 1) / 2;
}

Tensor _pdist_forward(const Tensor& self, double p) {
  const int64_t pairs = check_pairs(self, p, "_pdist_forward");
  if (self.sizes()[1] == 0) return at::zeros({pairs}, self.options());
  Tensor result = empty_tensor({pairs}, self.scalar_type(), self.device());
  pdist_stub(self.device().type(), at::contiguous(self), p, result);
  return result;
}

Tensor _pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& distances) {
  const int64_t pairs = check_pairs(self, p, "_pdist_backward");
  check_same_type(self, grad, "_pdist_backward");
  check_same_type(self, distances, "_pdist_backward");
  TORCH_CHECK(grad.numel() == pairs && distances.numel() == pairs,
              "_pdist_backward: expected a gradient and distances of ", pairs, " elements, got ",
              grad.numel(), " and ", distances.numel());
  if (p == 0) return at::zeros(self.sizes(), self.options());  // as in _cdist_backward
  Tensor result = empty_tensor(self.sizes(), self.scalar_type(), self.device());
  if (self.numel() != 0)
    pdist_backward_stub(self.device().type(), at::contiguous(grad), at::contiguous(self), p,
                        at::contiguous(distances), result);
  return result;
}

}  // namespace at::native
