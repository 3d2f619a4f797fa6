#pragma once
// Histories of views that were changed in place, directly or through their base.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

// Where a strided tensor's elements are in its storage, and how they are read.
struct Geometry {
  explicit Geometry(const Tensor& t)
      : sizes(t.sizes()),
        strides(t.strides()),
        offset(t.storage_offset()),
        conj(t.is_conj()),
        neg(t.is_neg()) {}
  Geometry(c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset)
      : sizes(sizes), strides(strides), offset(offset) {}
  c10::DimVector sizes, strides;
  int64_t offset;
  bool conj = false, neg = false;
  // The gradient of what the storage holds for one of the tensor, and the other way around.
  Tensor through_bits(const Tensor& grad) const;
  // The same elements as pairs of real numbers.
  Geometry of_pairs() const;
};

// The history of a view as a piece of its base: the gradient is zero but for the view's elements.
struct AsStridedOfBase final : Node {
  static intrusive_ptr<AsStridedOfBase> make(const Tensor& base, const Tensor& view);
  AsStridedOfBase(const Tensor& base, const Tensor& view);
  explicit AsStridedOfBase(const struct CopySlices& change);
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return "AsStridedBackward0"; }
  bool complex_base, complex_view;
  Geometry base, view;  // where one of the two is complex: of pairs
};

// The history of a base one of whose views was changed in place by `fn`: the gradient of the view's
// elements goes through fn, that of the others passes by.
struct CopySlices final : Node {
  static intrusive_ptr<CopySlices> make(const Tensor& base, const Tensor& view,
                                        intrusive_ptr<Node> fn);
  CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> fn);
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return "CopySlices"; }
  void release_variables() override { fn->release_variables(); }
  bool complex_base, complex_view;
  Geometry base, view;
  intrusive_ptr<Node> fn;

  // Where the view's value after the change came from, while `fn` runs inside of a CopySlices on
  // this thread: a piece of the new base. Empty for other nodes.
  static Edge edge_of_result(const Node* fn);
};

// A tensor with the elements of a gradient, laid out as its forward tensor was, so that views of
// the one are views of the other.
Tensor gradient_in_layout(const Tensor& grad, const Geometry& layout, bool copy);
// The gradient of base for a gradient of its view at `view`; overlapping elements add up.
Tensor as_strided_backward(const Tensor& grad, const Geometry& base, const Geometry& view);

}  // namespace torch::autograd
