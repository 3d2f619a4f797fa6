// Norms of vectors, and distances.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/dist_native.h>
#include <ATen/ops/frobenius_norm_native.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linalg_vector_norm_native.h>
#include <ATen/ops/norm_native.h>
#include <ATen/ops/std_native.h>
#include <ATen/ops/std_ops.h>

namespace at {
namespace meta {

void linalg_vector_norm(MetaBase& m, const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                        bool keepdim, std::optional<ScalarType> dtype) {
  ScalarType type = dtype ? *dtype : self.scalar_type();
  TORCH_CHECK(isFloatingType(self.scalar_type()) || self.is_complex(),
              "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
              toString(self.scalar_type()));
  TORCH_CHECK(!dtype || isFloatingType(type) || isComplexType(type),
              "linalg.vector_norm: dtype should be floating point or complex. Got ",
              toString(type));
  TORCH_CHECK(!dtype || self.is_complex() == isComplexType(type),
              "linalg.vector_norm: dtype should be ", self.is_complex() ? "complex" : "real",
              " for ", self.is_complex() ? "complex" : "real", " inputs, but got ", toString(type));
  uint64_t mask = native::reduce_mask(dim, self.dim(), "linalg.vector_norm");
  if (self.numel() == 0 && (ord.toDouble() < 0 || ord.toDouble() == INFINITY)) {
    for (int64_t d = 0; d < self.dim(); ++d) {
      TORCH_CHECK(!(mask >> d & 1) || self.sizes()[d] != 0,
                  "linalg.vector_norm cannot compute the ", ord.str(),
                  " norm on an empty tensor because the operation does not have an identity");
    }
  }
  m.set_output(0, native::reduced_sizes(self.sizes(), mask, keepdim),
               self.options().dtype(toRealValueType(type)));
}

}  // namespace meta

namespace native {

static ReduceKind norm_kind(double p) {
  if (p == 2) return ReduceKind::norm2;
  if (p == 1) return ReduceKind::norm1;
  if (p == 0) return ReduceKind::norm0;
  if (p == INFINITY) return ReduceKind::norm_inf;
  return p == -INFINITY ? ReduceKind::norm_neg_inf : ReduceKind::normp;
}

void linalg_vector_norm_kernel(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                               bool keepdim, std::optional<ScalarType> dtype, const Tensor& out) {
  Tensor x = dtype && *dtype != self.scalar_type() && self.is_complex()
                 ? at::_to_copy(self, TensorOptions(*dtype))
                 : self;
  if (x.is_complex()) x = at::abs(x);
  // For single elements, every norm except that of order 0 is the absolute value, which does not
  // overflow.
  const bool single = out.numel() == self.numel() && ord.toDouble() != 0;
  const double order = single ? INFINITY : ord.toDouble();
  const Reduction reduction{norm_kind(order), reduce_compute_type(out.scalar_type()),
                            "linalg_vector_norm_cpu", order};
  reduction_stub(x.device().type(), reduction, x,
                 reduce_mask(dim, self.dim(), "linalg.vector_norm"), keepdim, out, Tensor());
}

static Scalar order_or_two(const std::optional<Scalar>& p) { return p ? *p : Scalar(2); }

Tensor norm(const Tensor& self, const Scalar& p) { return at::linalg_vector_norm(self, p); }
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
  return at::linalg_vector_norm(self, order_or_two(p), std::nullopt, false, dtype);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype) {
  return at::linalg_vector_norm(self, order_or_two(p), dim, keepdim, dtype);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
  return at::linalg_vector_norm(self, order_or_two(p), dim, keepdim);
}
Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
  TORCH_CHECK(dim.size() <= 2, "frobenius_norm: Expected at most 2 dimensions, but got ",
              dim.size(), " dimensions instead.");
  return at::linalg_vector_norm(self, 2, dim, keepdim);
}
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  return at::linalg_vector_norm(self - other, p);
}

}  // namespace native
}  // namespace at
