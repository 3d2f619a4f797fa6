// Diagonals: as views, as copies, as matrices made from them.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/views_strided/replaced.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diag_embed_native.h>
#include <ATen/ops/diag_native.h>
#include <ATen/ops/diagflat_native.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/diagonal_backward_native.h>
#include <ATen/ops/diagonal_copy.h>
#include <ATen/ops/diagonal_native.h>
#include <ATen/ops/diagonal_scatter_native.h>
#include <ATen/ops/linalg_diagonal_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/trace_native.h>
#include <ATen/ops/zeros.h>

namespace at {

namespace meta {
void trace(MetaBase& m, const Tensor& self) {
  TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  m.set_output(
      0, {},
      self.options().dtype(isIntegralType(self.scalar_type(), true) ? kLong : self.scalar_type()));
}
}  // namespace meta

namespace native {

Tensor diag(const Tensor& self, int64_t diagonal) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ",
              self.dim(), "D");
  return self.dim() == 1 ? at::diag_embed(self, diagonal) : at::diagonal_copy(self, diagonal);
}

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  int64_t rank = self.dim() + 1, a = maybe_wrap_dim(dim1, rank, "diag_embed"),
          b = maybe_wrap_dim(dim2, rank, "diag_embed");
  TORCH_CHECK(self.dim() > 0, "diag_embed: Expected at least a 1-dimensional tensor");
  TORCH_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  int64_t side;
  TORCH_CHECK(
      offset != INT64_MIN && !__builtin_add_overflow(self.sizes().back(), std::abs(offset), &side),
      "diag_embed: offset ", offset, " is too large");
  DimVector sizes(self.sizes());
  sizes.pop_back();
  sizes.insert(sizes.begin() + std::min(a, b), side);
  sizes.insert(sizes.begin() + std::max(a, b), side);
  Tensor result = at::zeros(sizes, self.options());
  Tensor line = at::diagonal(result, offset, a, b);
  at::_ops::copy_::call(line, self, false);
  return result;
}

Tensor diagflat(const Tensor& self, int64_t offset) {
  return at::diag_embed(at::reshape(self, {-1}), offset);
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  Tensor result = at::clone(self);
  return with_piece(result, at::diagonal(result, offset, dim1, dim2), src, "diagonal_scatter");
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  int64_t a = maybe_wrap_dim(dim1, self.dim(), "diagonal"),
          b = maybe_wrap_dim(dim2, self.dim(), "diagonal");
  TORCH_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  DimVector sizes(self.sizes()), strides(self.strides());
  int64_t rows = sizes[a], columns = sizes[b], first = self.storage_offset();
  // Without wrapping: any offset beyond the matrix gives an empty diagonal.
  int64_t n = 0;
  if (offset >= 0 && offset < columns) {
    n = std::min(rows, columns - offset);
    first += n > 0 ? offset * strides[b] : 0;
  } else if (offset < 0 && offset > -rows) {
    n = std::min(rows + offset, columns);
    first += n > 0 ? -offset * strides[a] : 0;
  }
  // Those of empty tensors may be as large as an int64_t.
  const auto step =
      static_cast<int64_t>(static_cast<uint64_t>(strides[a]) + static_cast<uint64_t>(strides[b]));
  for (int64_t d : {std::max(a, b), std::min(a, b)}) {
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
  }
  sizes.push_back(n);
  strides.push_back(step);
  return alias_with_sizes_and_strides(self, sizes, strides, first);
}

Tensor linalg_diagonal(const Tensor& A, int64_t offset, int64_t dim1, int64_t dim2) {
  return at::diagonal(A, offset, dim1, dim2);
}

Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t offset,
                         int64_t dim1, int64_t dim2) {
  Tensor zeros = at::zeros(input_sizes, grad_output.options());
  return with_piece(zeros, at::diagonal(zeros, offset, dim1, dim2), grad_output,
                    "diagonal_backward");
}

}  // namespace native
}  // namespace at
