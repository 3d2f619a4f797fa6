// Chains of products, whose ends may be vectors.

#include <vector>

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/ops/chain_matmul.h>
#include <ATen/ops/linalg_multi_dot_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>

namespace at::native {
Tensor linalg_multi_dot(TensorList tensors) {
  const size_t n = tensors.size();
  TORCH_CHECK(n >= 2, "multi_dot(): expected at least 2 tensors but got ", n);
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  // Vectors at the ends are a row and a column.
  DimVector shape;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& t = tensors[i];
    const bool end = i == 0 || i + 1 == n;
    TORCH_CHECK(t.dim() == 2 || (end && t.dim() == 1), "multi_dot(): tensor ", i, " must be ",
                end ? "1D or 2D" : "2D", " but got ", t.dim(), "D");
    TORCH_CHECK(t.scalar_type() == tensors[0].scalar_type(),
                "multi_dot(): all tensors must have the same dtype but got ",
                toString(tensors[0].scalar_type()), " and ", toString(t.scalar_type()), " at ", i);
    if (t.dim() == 1) matrices[i] = at::unsqueeze(t, i == 0 ? 0 : -1);
  }
  for (size_t i = 0; i + 1 < n; ++i) {
    TORCH_CHECK(columns_of(matrices[i]) == rows_of(matrices[i + 1]), "multi_dot(): tensors ", i,
                " and ", i + 1, " with shapes ", matrices[i].sizes(), " and ",
                matrices[i + 1].sizes(), " cannot be multiplied");
  }
  if (tensors[0].dim() == 2) shape.push_back(rows_of(tensors[0]));
  if (tensors[n - 1].dim() == 2) shape.push_back(columns_of(tensors[n - 1]));
  Tensor result = at::chain_matmul(matrices);
  return shape.size() == 2 ? result : at::view(result, shape);
}

}  // namespace at::native
