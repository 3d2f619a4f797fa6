// The derivatives of constant and circular padding.

#include <algorithm>

#include <ATen/native/padding/backward.h>

#include <ATen/ops/add_ops.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/slice.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor constant_pad_nd_backward(const Tensor& grad, IntArrayRef pad) {
  DimVector back(pad);
  for (int64_t& p : back) p = -p;
  return at::constant_pad_nd(grad, back, 0);
}

// Each dimension's edges go back to the elements that they repeat.
Tensor pad_circular_backward(const Tensor& grad, IntArrayRef pad) {
  Tensor g = grad;
  DimVector cut(pad.size());
  for (size_t k = 0; k < pad.size() / 2; ++k) {
    const int64_t d = grad.dim() - 1 - static_cast<int64_t>(k), size = grad.sizes()[d];
    const int64_t before = std::max<int64_t>(pad[2 * k], 0),
                  after = std::max<int64_t>(pad[2 * k + 1], 0);
    cut[2 * k] = before - pad[2 * k];
    cut[2 * k + 1] = after - pad[2 * k + 1];
    if (before == 0 && after == 0) continue;
    const int64_t middle = size - before - after;
    Tensor sum = at::clone(at::slice(g, d, before, before + middle), at::MemoryFormat::Contiguous);
    const auto add = [&](int64_t at, int64_t from, int64_t length) {
      if (length == 0) return;
      Tensor target = at::slice(sum, d, at, at + length);
      at::_ops::add__Tensor::call(target, at::slice(g, d, from, from + length), 1);
    };
    add(middle - before, 0, before);
    add(0, size - after, after);
    g = sum;
  }
  // What the padding cuts off gets nothing.
  const bool any_cut = std::any_of(cut.begin(), cut.end(), [](int64_t n) { return n > 0; });
  return any_cut ? at::constant_pad_nd(g, cut, 0) : g;
}

}  // namespace torch::autograd::generated
