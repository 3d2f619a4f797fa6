// where(condition): the indices of the true elements.

#include <ATen/ops/nonzero_numpy.h>
#include <ATen/ops/where_native.h>

namespace at::native {

std::vector<Tensor> where(const Tensor& condition) { return at::nonzero_numpy(condition); }

}  // namespace at::native
