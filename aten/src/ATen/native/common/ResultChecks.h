#pragma once
// What generated code looks at before a kernel writes to outputs and after it has made results.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// One tensor argument of a call, or a list of them. It refers to the argument.
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

// Note [Results that are no views]
// Only an operator whose schema says so returns a view. A kernel may well end with a view of a
// tensor that it made: what it returns is that view, without its base, so that a change in place
// goes into the history of the result and not into that of a tensor nobody has. A kernel that ends
// with a view of an input returns a copy.
//
// An operator that is written in terms of others (`kernel` is false) has the history that those
// recorded: its result stays a view of an input, and of a temporary that other results show too.
C10_COLD void settle_result(Tensor& result, bool kernel, Inputs inputs);

// Note [Outputs that are inputs]
// An out= tensor may be an input as well, or show some of its elements, and so may an input of an
// in-place operator show elements of self. A kernel that walks elements with TensorIterator leaves
// that to the iterator (check_overlap). Others would read what they have written: where memory is
// shared, the generated code computes the result apart and copies it. An out= tensor may yet be
// resized and reach further than it does: whatever lies behind its first element counts.
bool shares_memory(Inputs outputs, Inputs inputs, bool may_be_resized);
// Throws if two outputs of one call share memory.
void check_outputs_apart(const char* op, Inputs outputs);

}  // namespace at::native
