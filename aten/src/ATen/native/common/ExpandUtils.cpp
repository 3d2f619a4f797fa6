// Broadcasting of sizes and strides.

#include <ATen/native/common/ExpandUtils.h>

#include <ATen/ops/sum.h>
#include <ATen/ops/view.h>

namespace at {

std::vector<int64_t> infer_size(IntArrayRef a, IntArrayRef b) {
  if (a.size() < b.size()) std::swap(a, b);
  std::vector<int64_t> result = a.vec();
  size_t missing = a.size() - b.size();
  for (size_t k = 0; k < b.size(); ++k) {
    int64_t& size = result[k + missing];
    TORCH_CHECK(size == b[k] || size == 1 || b[k] == 1, "the sizes ", a, " and ", b,
                " do not broadcast: they differ at dimension ", k + missing);
    if (size == 1) size = b[k];
  }
  return result;
}

Tensor sum_to(const Tensor& t, IntArrayRef shape) {
  if (t.sizes() == shape) return t;
  const bool floats = t.is_floating_point() || t.is_complex();  // other sums have another type
  if (shape.empty() && floats) return at::sum(t);
  DimVector reduced;
  int64_t missing = t.dim() - static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (d < missing || (shape[d - missing] == 1 && t.sizes()[d] != 1)) reduced.push_back(d);
  }
  const auto dtype = floats ? std::nullopt : std::optional<ScalarType>(t.scalar_type());
  Tensor s = reduced.empty() ? t : at::sum(t, IntArrayRef(reduced), /*keepdim=*/true, dtype);
  return missing > 0 ? at::view(s, shape) : s;
}

}  // namespace at
