// Derivatives of cat and block_diag.

#include <ATen/native/joining/backward.h>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd::generated {

using at::DimVector;

std::vector<Tensor> cat_tensors_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                         const std::vector<at::ScalarType>& dtypes, int64_t dim) {
  std::vector<Tensor> grads(sizes.size());
  dim = at::maybe_wrap_dim(dim, grad.dim());
  int64_t at = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    // Empty vectors are skipped whatever the other shapes are.
    if (sizes[k].size() == 1 && sizes[k][0] == 0) {
      grads[k] = at::zeros({0}, grad.options());
      continue;
    }
    int64_t n = sizes[k][dim];
    grads[k] = at::slice(grad, dim, at, at + n);
    if (!at::isComplexType(dtypes[k]) && grads[k].is_complex())
      grads[k] = at::_to_copy(grads[k], at::TensorOptions(dtypes[k]));
    at += n;
  }
  return grads;
}

std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                        const std::vector<at::ScalarType>&) {
  std::vector<Tensor> grads;
  int64_t row = 0, column = 0;
  for (const DimVector& s : sizes) {
    int64_t rows = s.size() == 2 ? s[0] : 1, columns = s.size() == 2   ? s[1]
                                                       : s.size() == 1 ? s[0]
                                                                       : 1;
    Tensor g = at::slice(at::slice(grad, 0, row, row + rows), 1, column, column + columns);
    grads.push_back(at::reshape(g, s));
    row += rows;
    column += columns;
  }
  return grads;
}

}  // namespace torch::autograd::generated
