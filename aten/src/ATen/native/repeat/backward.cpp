// The derivative of repeat.

#include <ATen/native/repeat/backward.h>

#include <ATen/ops/reshape.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef self_sizes) {
  for (int64_t r : repeats) {
    if (r == 0) return at::zeros(self_sizes, grad.options());
  }
  int64_t missing = static_cast<int64_t>(repeats.size() - self_sizes.size());
  DimVector split, summed;
  for (size_t d = 0; d < repeats.size(); ++d) {
    int64_t k = static_cast<int64_t>(d) - missing;
    if (repeats[d] != 1 || k < 0) {
      summed.push_back(static_cast<int64_t>(split.size()));
      split.push_back(repeats[d]);
    }
    if (k >= 0) split.push_back(self_sizes[k]);
  }
  Tensor g = at::reshape(grad, split);
  return summed.empty() ? g : at::sum(g, IntArrayRef(summed));
}

}  // namespace torch::autograd::generated
