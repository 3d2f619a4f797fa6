// select_scatter, slice_scatter: a copy with a part replaced.

#include <ATen/native/views_strided/replaced.h>

#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/select.h>
#include <ATen/ops/select_scatter_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_scatter_native.h>

namespace at::native {

Tensor with_piece(const Tensor& result, Tensor piece, const Tensor& src, const char* op) {
  TORCH_CHECK(piece.sizes() == src.sizes(), op,
              ": expected src to have a size equal to the slice of self. src size = ", src.sizes(),
              ", slice size = ", piece.sizes());
  at::_ops::copy_::call(piece, src, false);
  return result;
}

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  Tensor result = at::clone(self);
  return with_piece(result, at::select(result, dim, index), src, "select_scatter");
}
Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  Tensor result = at::clone(self);
  return with_piece(result, at::slice(result, dim, start, end, step), src, "slice_scatter");
}

}  // namespace at::native
