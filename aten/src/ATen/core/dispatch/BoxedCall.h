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

// The value with each of its tensors replaced by f(tensor).
template <typename F>
IValue with_tensors(const IValue& value, const F& f) {
  switch (value.tag()) {
    case IValue::Tag::Tensor:
      return f(value.toTensor());
    case IValue::Tag::TensorList: {
      std::vector<Tensor> list;
      for (const Tensor& t : value.toTensorVector()) list.push_back(f(t));
      return list;
    }
    case IValue::Tag::OptionalTensorList: {
      std::vector<std::optional<Tensor>> list;
      for (const auto& t : value.toOptionalTensorVector())
        list.push_back(t ? std::optional<Tensor>(f(*t)) : std::nullopt);
      return list;
    }
    default:
      return value;
  }
}

// Whether the operator is written in terms of others and has no derivative of its own.
bool is_composite(const OperatorEntry& op);
// Whether Python modes and tensor classes see the operators that this one calls instead of itself.
// Composite operators whose inner calls have no derivatives, factories first of all, are seen
// whole.
bool is_decomposed(const OperatorEntry& op);
// Whether a result shows an argument's memory.
bool is_view(const FunctionSchema& schema);
// Whether the first `count` arguments of an operator have the types of another's arguments, which
// are as many.
bool same_argument_types(const FunctionSchema& a, const FunctionSchema& b, size_t count);
// The form of an in-place operator that returns a new tensor, or null.
const OperatorEntry* functional_form(const OperatorEntry& op);

// For the kernel of a key: passes the call on with the remaining keys.
void redispatch_boxed(const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack);
// Takes the operator's arguments from the stack, dispatches by their keys and pushes the results.
// The stack holds nothing else.
void call_boxed(const OperatorEntry& op, IValueStack& stack);

}  // namespace at
