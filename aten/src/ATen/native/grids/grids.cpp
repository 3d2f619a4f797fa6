// Combinations of vectors: meshgrid, cartesian_prod, combinations, one_hot.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/cartesian_prod_native.h>
#include <ATen/ops/combinations_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/item.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/meshgrid_native.h>
#include <ATen/ops/one_hot_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  TORCH_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TORCH_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  for (size_t k = 0; k < tensors.size(); ++k) {
    TORCH_CHECK(tensors[k].dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ",
                tensors[k].dim(), "D");
    TORCH_CHECK(tensors[k].scalar_type() == tensors[0].scalar_type(),
                "torch.meshgrid expects all tensors to have the same dtype");
    TORCH_CHECK(tensors[k].device() == tensors[0].device(),
                "torch.meshgrid expects all tensors to have the same device");
  }
  bool swap = indexing == "xy" && tensors.size() >= 2;
  std::vector<Tensor> order(tensors.begin(), tensors.end());
  if (swap) std::swap(order[0], order[1]);
  DimVector shape;
  for (const Tensor& t : order) shape.push_back(t.numel());
  std::vector<Tensor> grids;
  for (size_t k = 0; k < order.size(); ++k) {
    DimVector one(order.size(), 1);
    one[k] = shape[k];
    grids.push_back(at::expand(at::reshape(order[k], one), shape));
  }
  if (swap) std::swap(grids[0], grids[1]);
  return grids;
}

std::vector<Tensor> meshgrid(TensorList tensors) {
  TORCH_WARN_ONCE(
      "torch.meshgrid: the indexing argument will become required in an upcoming release; pass "
      "indexing='ij' for what it does now.");
  return native::meshgrid(tensors, "ij");
}

Tensor cartesian_prod(TensorList tensors) {
  for (const Tensor& t : tensors)
    TORCH_CHECK(t.dim() == 1, "Expect a 1D vector, but got shape ", t.sizes());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> grids = at::meshgrid(tensors, "ij");
  for (Tensor& g : grids) g = at::flatten(g);
  return at::stack(grids, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  TORCH_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", self.sizes());
  TORCH_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  if (r == 0) return at::zeros({0}, self.options());
  // Ascending indices, counted like an odometer whose digits never decrease from left to right.
  int64_t n = self.numel();
  std::vector<int64_t> all, at(r);
  for (int64_t k = 0; k < r; ++k) at[k] = with_replacement ? 0 : k;
  bool more = n > 0 && (with_replacement || r <= n);
  while (more) {
    all.insert(all.end(), at.begin(), at.end());
    int64_t k = r - 1;
    while (k >= 0 && at[k] == (with_replacement ? n - 1 : n - r + k)) --k;
    more = k >= 0;
    if (!more) break;
    ++at[k];
    for (int64_t j = k + 1; j < r; ++j) at[j] = with_replacement ? at[k] : at[j - 1] + 1;
  }
  int64_t rows = static_cast<int64_t>(all.size()) / r;
  std::vector<Tensor> columns;
  std::vector<int64_t> column(rows);
  for (int64_t k = 0; k < r; ++k) {
    for (int64_t i = 0; i < rows; ++i) column[i] = all[i * r + k];
    columns.push_back(at::index_select(self, 0, int64_tensor(column, self.device())));
  }
  return at::stack(columns, 1);
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  TORCH_CHECK(self.scalar_type() == kLong,
              "one_hot is only applicable to index tensor of type LongTensor, got ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(num_classes >= -1,
              "one_hot: num_classes should be positive, or -1 to take it from the input, got ",
              num_classes);
  TORCH_CHECK(self.numel() > 0 || num_classes > 0,
              "Can not infer total number of classes from empty tensor.");
  TORCH_CHECK(self.numel() == 0 || num_classes != 0, "one_hot: num_classes should be positive");
  int64_t largest = -1;
  if (num_classes == -1 || may_read_at_once(self)) {
    auto [min, max] = at::aminmax(self);
    const int64_t smallest = at::item(min).toLong();
    TORCH_CHECK(smallest >= 0, "Class values must be non-negative, got ", smallest);
    largest = at::item(max).toLong();
  }
  if (num_classes == -1) num_classes = largest + 1;
  TORCH_CHECK(largest < num_classes, "Class values must be smaller than num_classes: got class ",
              largest, " and num_classes ", num_classes);
  DimVector sizes(self.sizes());
  sizes.push_back(num_classes);
  Tensor result = at::zeros(sizes, self.options());
  if (self.numel() == 0) return result;
  return at::_ops::scatter__value::call(result, -1, at::unsqueeze(self, -1), 1);
}

}  // namespace at::native
