#include <ATen/native/common/ExpandUtils.h>

#include <ATen/ops/sum.h>
#include <ATen/ops/view.h>

namespace at {

Tensor sum_to(const Tensor& t, IntArrayRef shape) {
  if (t.sizes() == shape) return t;
  DimVector reduced;
  int64_t missing = t.dim() - static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (d < missing || (shape[d - missing] == 1 && t.sizes()[d] != 1)) reduced.push_back(d);
  }
  Tensor s =
      reduced.empty() ? t : at::sum(t, IntArrayRef(reduced), /*keepdim=*/true, t.scalar_type());
  return missing > 0 ? at::view(s, shape) : s;
}

}  // namespace at
