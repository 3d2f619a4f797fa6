#pragma once
// Checks that generated code runs before a kernel writes to outputs and after it has made results.
// Before a kernel for GPUs it also checks where tensors are.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// One tensor argument of a call, or a list of them. Refers to the argument.
struct Input {
  Input(const Tensor& t) : one(&t) {}
  Input(const std::optional<Tensor>& t) : one(t ? &*t : nullptr) {}
  Input(TensorList list) : many(list) {}
  Input(OptionalTensorList list) : optionals(list) {}

  template <typename F>
  bool any(F f) const {
    if (one) return one->defined() && f(*one);
    for (const Tensor& t : many) {
      if (t.defined() && f(t)) return true;
    }
    for (const auto& t : optionals) {
      if (t && t->defined() && f(*t)) return true;
    }
    return false;
  }

  const Tensor* one = nullptr;
  TensorList many;
  OptionalTensorList optionals;
};
using Inputs = std::initializer_list<Input>;

// Note [Results that are not views]
// Only an operator whose schema says so returns a view. If a kernel returns a view of a tensor that
// it made, the base is removed from the result, so that a change in place goes into the history of
// the result and not into that of an unreachable tensor. If a kernel returns a view of an input,
// the result is copied.
//
// An operator that is written in terms of others (`kernel` is false) has the history that those
// recorded: its result stays a view of an input, or of a temporary that other results share.
C10_COLD void settle_result(Tensor& result, bool kernel, Inputs inputs);

// Note [Outputs that are inputs]
// An out= tensor may be an input as well, or share some of its elements; so may an input of an
// in-place operator share elements with self. A kernel that uses TensorIterator leaves that to the
// iterator (check_overlap). Other kernels would read what they have written: if memory is shared,
// the generated code computes the result in a temporary and copies it. An out= tensor may still be
// resized and grow: all memory behind its first element counts.
bool shares_memory(Inputs outputs, Inputs inputs, bool may_be_resized);
// Note [Tensors of two devices]
// A kernel of a GPU cannot read memory of the CPU or of another GPU, nor the other way round: the
// process would end. Calls without tensors of a GPU pay one test of the keys.
inline bool may_mix_devices(DispatchKeySet keys) { return keys.has(c10::BackendComponent::CUDA); }
// Throws if there are tensors of several devices, but for numbers of the CPU.
C10_COLD void check_one_device(const char* op, Inputs inputs);
// Throws if two outputs of one call share memory.
void check_outputs_apart(const char* op, Inputs outputs);

}  // namespace at::native
