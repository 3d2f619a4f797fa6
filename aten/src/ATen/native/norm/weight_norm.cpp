// Norms over all dimensions but one: renorm and weight normalization (Salimans and Kingma 2016).

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_weight_norm_differentiable_backward.h>
#include <ATen/ops/_weight_norm_differentiable_backward_native.h>
#include <ATen/ops/_weight_norm_interface.h>
#include <ATen/ops/_weight_norm_interface_backward_native.h>
#include <ATen/ops/_weight_norm_interface_native.h>
#include <ATen/ops/_weight_norm_native.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/norm_except_dim.h>
#include <ATen/ops/norm_except_dim_native.h>
#include <ATen/ops/renorm_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>

namespace at::native {
namespace {

DimVector other_dims(const Tensor& t, int64_t dim) {
  DimVector dims;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (d != dim) dims.push_back(d);
  }
  return dims;
}

bool is_reduced(ScalarType type) { return type == kHalf || type == kBFloat16; }
Tensor widened(const Tensor& t) {
  return is_reduced(t.scalar_type()) ? at::_to_copy(t, kFloat) : t;
}
Tensor as_type(const Tensor& t, ScalarType type) {
  return t.scalar_type() == type ? t : at::_to_copy(t, type);
}

}  // namespace

Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  TORCH_CHECK(!p.isComplex(), "renorm: p must be real-valued");
  TORCH_CHECK(p.toDouble() > 0, "renorm: non-positive-norm not supported, got p = ", p.toDouble());
  TORCH_CHECK(!maxnorm.isComplex(), "renorm: maxnorm must be real-valued");
  TORCH_CHECK(maxnorm.toDouble() >= 0, "renorm: expected maxnorm to be >= 0 but got ",
              maxnorm.toDouble());
  TORCH_CHECK(self.dim() > 1, "renorm: input needs at least 2 dimensions, got ", self.dim(),
              " dimensions");
  dim = maybe_wrap_dim(dim, self.dim(), "renorm");
  // The norms of half types are computed and compared in float.
  std::optional<ScalarType> type;
  if (is_reduced(self.scalar_type())) type = kFloat;
  Tensor norms = at::linalg_vector_norm(self, p, other_dims(self, dim), true, type);
  // The epsilon is PyTorch's: results must match.
  Tensor factors = at::where(at::gt(norms, maxnorm), maxnorm / (norms + Scalar(1e-7)), Scalar(1));
  return self * as_type(factors, toRealValueType(self.scalar_type()));
}

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return at::norm(v, pow);
  TORCH_CHECK_INDEX(dim >= 0 && dim < v.dim(), "norm_except_dim: expected a dim from -1 to ",
                    v.dim() - 1, ", got ", dim);
  DimVector dims = other_dims(v, dim);
  // No other dimension: a norm over none, not over all.
  return at::linalg_vector_norm(v, pow, OptionalIntArrayRef(dims), true);
}

Tensor _weight_norm(const Tensor& v, const Tensor& g, int64_t dim) {
  const bool outer = dim == 0 || (dim >= 0 && dim == v.dim() - 1);
  if (outer && v.scalar_type() == g.scalar_type() && v.is_floating_point())
    return std::get<0>(at::_weight_norm_interface(v, g, dim));
  return v * (g / at::norm_except_dim(v, 2, dim));
}

std::tuple<Tensor, Tensor> _weight_norm_interface(const Tensor& v, const Tensor& g, int64_t dim) {
  TORCH_CHECK(dim >= 0 && v.dim() > 0 && (dim == 0 || dim == v.dim() - 1),
              "_weight_norm_interface: dim must be the first or the last of ", v.dim(),
              " dimensions, got ", dim);
  TORCH_CHECK_NOT_IMPLEMENTED(v.is_floating_point() && !isFloat8Type(v.scalar_type()),
                              "\"weight_norm_kernel\" not implemented for '",
                              toString(v.scalar_type()), "'");
  TORCH_CHECK(v.scalar_type() == g.scalar_type(), "_weight_norm_interface: expected scalar type ",
              toString(v.scalar_type()), " for g but found ", toString(g.scalar_type()));
  Tensor wide = widened(v), norms = at::norm_except_dim(wide, 2, dim);
  return {as_type(wide * (widened(g) / norms), v.scalar_type()), norms};
}

// With w = g v / |v|: dg = <dw, v> / |v| and dv = g / |v| (dw - v <dw, v> / |v|^2).
std::tuple<Tensor, Tensor> _weight_norm_differentiable_backward(const Tensor& grad_w,
                                                                const Tensor& saved_v,
                                                                const Tensor& saved_g,
                                                                const Tensor& /*saved_norms*/,
                                                                int64_t dim) {
  const ScalarType type = saved_v.scalar_type();
  // The norms are computed again, so that they can be differentiated.
  Tensor v = widened(saved_v), g = widened(saved_g), dw = widened(grad_w);
  Tensor norms = at::norm_except_dim(v, 2, dim);
  DimVector dims = other_dims(v, dim);
  Tensor product = dims.empty() ? dw * v : at::sum(dw * v, dims, true);
  Tensor grad_v = (g / norms) * (dw - v * (product / (norms * norms)));
  return {as_type(grad_v, type), as_type(product / norms, saved_g.scalar_type())};
}

std::tuple<Tensor, Tensor> _weight_norm_interface_backward(const Tensor& grad_w,
                                                           const Tensor& saved_v,
                                                           const Tensor& saved_g,
                                                           const Tensor& saved_norms, int64_t dim) {
  return at::_weight_norm_differentiable_backward(grad_w, saved_v, saved_g, saved_norms, dim);
}

}  // namespace at::native
