// Norms of matrices.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/MemoryOrder.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/linalg__powsum_native.h>
#include <ATen/ops/linalg_matrix_norm.h>
#include <ATen/ops/linalg_matrix_norm_native.h>
#include <ATen/ops/linalg_norm_native.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/nuclear_norm_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/square.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>

namespace at::native {
namespace {

struct Dims {
  int64_t rows, columns;
};

Dims checked_dims(const Tensor& A, IntArrayRef dim, const char* op) {
  TORCH_CHECK(dim.size() == 2, op, ": dim must be a 2-tuple of integers. Got ", dim);
  check_is_matrix(A, op);
  Dims d{maybe_wrap_dim(dim[0], A.dim()), maybe_wrap_dim(dim[1], A.dim())};
  TORCH_CHECK(d.rows != d.columns, op, ": dims must be different. Got (", dim[0], ", ", dim[1],
              ")");
  return d;
}

Tensor converted(const Tensor& A, std::optional<ScalarType> dtype, const char* op) {
  check_lapack_type(A, op, true);
  if (!dtype || *dtype == A.scalar_type()) return A;
  TORCH_CHECK(
      (isFloatingType(*dtype) || isComplexType(*dtype)) && isComplexType(*dtype) == A.is_complex(),
      op, ": dtype should be ", A.is_complex() ? "complex" : "real", " floating point, got ",
      toString(*dtype));
  TORCH_CHECK(promoteTypes(A.scalar_type(), *dtype) == *dtype, op, ": the dtype of the input (",
              toString(A.scalar_type()),
              ") should be convertible without narrowing to the specified dtype (",
              toString(*dtype), ")");
  return at::_to_copy(A, TensorOptions(*dtype));
}

// The maximum along a dimension, 0 if it is empty; the minimum for negative orders.
Tensor extreme(const Tensor& t, int64_t dim, bool keepdim, double order) {
  if (order < 0) return at::amin(t, {dim}, keepdim);
  if (t.sizes()[maybe_wrap_dim(dim, t.dim())] == 0) return at::sum(t, IntArrayRef(dim), keepdim);
  return at::amax(t, {dim}, keepdim);
}

// Removes the reduced dimensions of a result that has them with size 1.
Tensor without(const Tensor& result, Dims d, bool keepdim) {
  if (keepdim) return result;
  return at::squeeze(at::squeeze(result, std::max(d.rows, d.columns)), std::min(d.rows, d.columns));
}

Tensor singular_values(const Tensor& A, Dims d, const char* op) {
  check_lapack_type(A, op);
  return at::linalg_svdvals(at::movedim(A, {d.rows, d.columns}, {-2, -1}));
}

// Gives the norms of matrices back the dimensions that they were moved from.
Tensor with_dims(Tensor norms, Dims d, bool keepdim) {
  if (!keepdim) return norms;
  return at::unsqueeze(at::unsqueeze(norms, std::min(d.rows, d.columns)),
                       std::max(d.rows, d.columns));
}

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const char* op = "linalg.matrix_norm";
  const double order = ord.toDouble(), size = std::abs(order);
  TORCH_CHECK(size == 1 || size == 2 || std::isinf(size), op, ": Order ", ord.str(),
              " not supported.");
  const Dims d = checked_dims(self, dim, op);
  Tensor A = converted(self, dtype, op);
  if (size == 2) {
    Tensor S = singular_values(A, d, op);
    return with_dims(extreme(S, -1, false, order), d, keepdim);
  }
  const int64_t summed = size == 1 ? d.rows : d.columns, compared = size == 1 ? d.columns : d.rows;
  Tensor sums = at::linalg_vector_norm(A, 1, IntArrayRef(summed), true);
  return without(extreme(sums, compared, true, order), d, keepdim);
}

Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const char* op = "linalg.matrix_norm";
  TORCH_CHECK(ord == "fro" || ord == "nuc", op, ": Order ", ord, " not supported.");
  const Dims d = checked_dims(self, dim, op);
  Tensor A = converted(self, dtype, op);
  if (ord == "fro") return at::linalg_vector_norm(A, 2, dim, keepdim);
  return with_dims(at::sum(singular_values(A, d, op), IntArrayRef{-1}), d, keepdim);
}

static void check_norm_dim(const Tensor& A, OptionalIntArrayRef dim, bool has_order) {
  if (dim) {
    TORCH_CHECK(dim->size() == 1 || dim->size() == 2,
                "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", *dim);
  } else {
    TORCH_CHECK(!has_order || A.dim() == 1 || A.dim() == 2,
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ",
                A.dim(), "D.");
  }
}

Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim,
                   bool keepdim, std::optional<ScalarType> dtype) {
  check_norm_dim(self, dim, ord.has_value());
  if (ord && (dim ? dim->size() == 2 : self.dim() == 2))
    return at::linalg_matrix_norm(self, *ord, dim ? *dim : IntArrayRef{0, 1}, keepdim, dtype);
  return at::linalg_vector_norm(self, ord ? *ord : Scalar(2), dim, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType> dtype) {
  check_norm_dim(self, dim, true);
  return at::linalg_matrix_norm(self, ord, dim ? *dim : IntArrayRef{0, 1}, keepdim, dtype);
}

Tensor linalg__powsum(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                      std::optional<ScalarType> dtype) {
  const Tensor x = converted(self, dtype, "linalg._powsum");
  if (!ord.equal(2.0) || x.is_complex()) return at::sum(at::pow(at::abs(x), ord), dim, keepdim);
  // Squares need no powers, and their sum over all elements no memory.
  if (dim && !dim->empty()) return at::sum(at::square(x), dim, keepdim);
  // In the order of memory, where a dense tensor needs no copy.
  const Tensor flat = at::flatten(at::permute(x, memory_order(x)));
  const Tensor total = at::dot(flat, flat);
  return keepdim ? at::view(total, DimVector(x.dim(), 1)) : total;
}

Tensor nuclear_norm(const Tensor& self, bool keepdim) {
  return at::linalg_matrix_norm(self, "nuc", {-2, -1}, keepdim);
}
Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
  return at::linalg_matrix_norm(self, "nuc", dim, keepdim);
}

}  // namespace at::native
