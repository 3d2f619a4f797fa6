#pragma once
// Calls whose arguments are on a stack of IValues: the tensors among the arguments, and the
// dispatch by their keys.

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>

namespace at {

// Calls f with each tensor in a value, undefined ones included. Other values have none.
template <typename F>
void for_each_tensor(const IValue& value, const F& f) {
  switch (value.tag()) {
    case IValue::Tag::Tensor:
      return f(value.toTensor());
    case IValue::Tag::TensorList:
      for (const Tensor& t : value.toTensorVector()) f(t);
      return;
    case IValue::Tag::OptionalTensorList:
      for (const auto& t : value.toOptionalTensorVector()) {
        if (t) f(*t);
      }
      return;
    default:
      return;
  }
}

// Takes the operator's arguments from the stack, dispatches by their keys and pushes the results.
// The stack holds nothing else.
void call_boxed(const OperatorEntry& op, IValueStack& stack);

}  // namespace at
