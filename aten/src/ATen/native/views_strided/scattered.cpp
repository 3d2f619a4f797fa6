// The gradients of views: zeros, with the gradient at the view's elements.

#include <algorithm>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/SumType.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/select.h>
#include <ATen/ops/select_backward_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_backward_native.h>
#include <ATen/ops/unfold.h>
#include <ATen/ops/unfold_backward_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {

static Tensor fill_piece(const Tensor& zeros, Tensor piece, const Tensor& grad) {
  at::_ops::copy_::call(piece, grad, false);
  return zeros;
}

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim,
                       int64_t index) {
  Tensor zeros = at::zeros(input_sizes, grad_output.options());
  return fill_piece(zeros, at::select(zeros, dim, index), grad_output);
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim,
                      int64_t start, int64_t end, int64_t step) {
  Tensor zeros = at::zeros(input_sizes, grad_output.options());
  return fill_piece(zeros, at::slice(zeros, dim, start, end, step), grad_output);
}

// Windows may overlap. Every n-th window, for n windows at most that share an element, is a view of
// the result whose elements are all different; these views are added one after the other.
Tensor unfold_backward(const Tensor& grad_in, IntArrayRef input_sizes, int64_t dim, int64_t size,
                       int64_t step) {
  int64_t rank = static_cast<int64_t>(input_sizes.size());
  // Addition is needed only if windows overlap.
  const bool sums = size > step && rank > 0;
  Tensor result =
      at::zeros(input_sizes, sums ? grad_in.options().dtype(sum_type(grad_in.scalar_type()))
                                  : grad_in.options());
  dim = maybe_wrap_dim(dim, rank, "unfold_backward");
  TORCH_CHECK(grad_in.dim() == rank + 1 && grad_in.sizes()[rank] == size && step > 0,
              "unfold_backward: the gradient has sizes ", grad_in.sizes(), ", the input ",
              input_sizes);
  if (rank == 0) return fill_piece(result, result, at::select(grad_in, 0, 0));
  int64_t windows = grad_in.sizes()[dim];
  TORCH_CHECK((windows - 1) * step + size <= input_sizes[dim],
              "unfold_backward: the windows do not fit into sizes ", input_sizes);
  const int64_t sharing = std::min(windows, size / step + (size % step != 0));
  for (int64_t first = 0; first < sharing; ++first) {
    const int64_t last = first + (windows - 1 - first) / sharing * sharing;
    Tensor piece = at::unfold(at::slice(result, dim, first * step, last * step + size), dim, size,
                              sharing * step);
    Tensor grad = at::slice(grad_in, dim, first, last + 1, sharing);
    if (sums) at::_ops::add__Tensor::call(piece, grad, 1);
    else at::_ops::copy_::call(piece, grad, false);
  }
  if (result.scalar_type() != grad_in.scalar_type())
    return at::_to_copy(result, grad_in.scalar_type());
  return result;
}

}  // namespace at::native
