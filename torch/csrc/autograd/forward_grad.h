#pragma once
// Forward-mode derivatives: tensors that carry a tangent.
//
// Note [Forward mode]
// A dual tensor is a tensor with a tangent, the derivative of its elements along a direction. It
// has the key ForwardGrad, which no other tensor has, so a call without dual tensors is as it was.
// The key has one kernel for all operators. It computes the result below, and the result's tangent
// by one of these rules:
//
//   composite      nothing: the operators that it calls have the rules
//   view           the same view of the tangent, which shares the memory of its base's tangent
//   in place       the tangent of the form that is not in place is written into self's tangent
//   anything else  from the backward formula. A gradient is linear in what flows in: g(u) = J^T u.
//   Its
//                  own gradient with respect to u, along the tangent t, is J t.
//
// So every operator with a formula that can be differentiated has a forward derivative, and the
// entry says nothing more. There is one level, as in PyTorch.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

// Begins the level, and installs the kernel when the first one begins. Throws inside a level.
int64_t enter_dual_level();
// Ends the level: its tensors lose their tangents.
void exit_dual_level(int64_t level);

// The tangent of a tensor; undefined if it has none.
const Tensor& tangent_of(const at::TensorBase& t);
void set_tangent(const Tensor& t, Tensor tangent);

// Whether calls with dual tensors compute tangents in this thread.
bool is_forward_grad_enabled();
void set_forward_grad_enabled(bool on);

}  // namespace torch::autograd
