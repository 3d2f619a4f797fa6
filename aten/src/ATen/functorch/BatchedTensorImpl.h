#pragma once
// BatchedTensorImpl: one example of a batch, as the function under vmap sees it.
//
// Note [Batched tensors]
// torch.vmap(f)(x) calls f once, with tensors that stand for all examples at once. Such a tensor
// has the shape of one example; its value holds all of them along the value's first dimension.
// Vmaps nest: each has a level, and the value of a tensor of level 2 may be one of level 1. The key
// FuncTorchBatched brings every call with such a tensor to BatchedKernel.cpp, which unwraps the
// highest level, applies the operator's rule to the values and wraps the results.
//
// The key stands above autograd, so that values are what takes part in differentiation. A batched
// tensor itself never has a gradient, a tangent or memory.

#include <ATen/core/Tensor.h>

namespace at::functorch {

struct BatchedTensorImpl final : c10::TensorImpl {
  BatchedTensorImpl(Tensor value, int64_t level);

  const Tensor& value() const { return value_; }
  int64_t level() const { return level_; }
  // Takes the shape from the value, which an in-place operator may have changed.
  void refresh_shape();

  c10::intrusive_ptr<c10::TensorImpl> shallow_copy() const override;
  const char* tensorimpl_type_name() const override { return "BatchedTensorImpl"; }

 protected:
  void release_resources() override;

 private:
  Tensor value_;
  int64_t level_;
};

// Null for other tensors.
BatchedTensorImpl* maybe_batched(const TensorBase& t);

// A tensor whose examples stand along the value's first dimension. The level must be above those of
// the value.
Tensor make_batched(Tensor value, int64_t level);

// 0 for a tensor that is not batched.
int64_t level_of(const TensorBase& t);
// The value below all levels.
Tensor innermost_value(const Tensor& t);

}  // namespace at::functorch
