// Boxed calls: what happens to one argument or result, for each type.

#include <ATen/core/boxing.h>

namespace at::impl {

template <>
Unbox<int64_t>::Unbox(IValue& v) : value(v.toInt()) {}
template <>
Unbox<double>::Unbox(IValue& v) : value(v.toDouble()) {}
template <>
Unbox<bool>::Unbox(IValue& v) : value(v.toBool()) {}
template <>
Unbox<ScalarType>::Unbox(IValue& v) : value(static_cast<ScalarType>(v.toInt())) {}
template <>
Unbox<Layout>::Unbox(IValue& v) : value(static_cast<Layout>(v.toInt())) {}
template <>
Unbox<MemoryFormat>::Unbox(IValue& v) : value(static_cast<MemoryFormat>(v.toInt())) {}
template <>
Unbox<Device>::Unbox(IValue& v) : value(v.toDevice()) {}
template <>
Unbox<Storage>::Unbox(IValue& v) : value(v.toStorage()) {}
template <>
Unbox<Generator>::Unbox(IValue& v) : value(v.toGenerator()) {}
template <>
Unbox<std::string_view>::Unbox(IValue& v) : value(v.toStringRef()) {}
template <>
Unbox<IntArrayRef>::Unbox(IValue& v) : value(v.toIntVector()) {}
template <>
Unbox<ArrayRef<double>>::Unbox(IValue& v) : value(v.toDoubleVector()) {}
template <>
Unbox<TensorList>::Unbox(IValue& v) : value(v.toTensorVector()) {}
template <>
Unbox<ArrayRef<Scalar>>::Unbox(IValue& v) : value(v.toScalarVector()) {}

static const Tensor& tensor_in(const IValue& v) {
  static const Tensor undefined;
  return v.isNone() ? undefined : v.toTensor();
}
Unbox<const Tensor&>::Unbox(IValue& v) : value(tensor_in(v)) {}

Unbox<const std::optional<Scalar>&>::Unbox(IValue& v) {
  if (!v.isNone()) value = v.toScalar();
}

Unbox<const std::optional<Tensor>&>::Unbox(IValue& v) {
  if (!v.isNone()) value = v.toTensor();
}
Unbox<const std::optional<Tensor>&>::~Unbox() = default;

Unbox<OptionalTensorList>::Unbox(IValue& v) {
  if (v.tag() == IValue::Tag::TensorList) {
    for (const Tensor& t : v.toTensorVector()) value.emplace_back(t);
  } else {
    value = v.toOptionalTensorVector();
  }
}
Unbox<OptionalTensorList>::~Unbox() = default;

const std::vector<bool>& bools_in(const IValue& v, size_t expected_size) {
  const auto& list = v.toBoolVector();
  TORCH_CHECK(list.size() == expected_size, "expected a list of ", expected_size, " bools, got ",
              list.size());
  return list;
}

IValue box(const Tensor& v) { return v.defined() ? IValue(v) : IValue(); }
IValue box(std::string_view v) { return IValue(std::string(v)); }

IValue* boxed_arguments(IValueStack& stack, size_t count) {
  TORCH_CHECK(stack.size() >= count, "a boxed call got ", stack.size(), " arguments, expected ",
              count);
  return stack.data() + (stack.size() - count);
}

void replace_arguments(IValueStack& stack, size_t count, IValue* results, size_t num_results) {
  stack.resize(stack.size() - count);
  for (size_t i = 0; i < num_results; ++i) stack.push_back(std::move(results[i]));
}

BoxedCall::BoxedCall(const ArgumentRef* arguments, size_t count) {
  stack.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    stack.push_back(arguments[i].box(arguments[i].value));
    if (arguments[i].is_mutable_tensor && num_mutated < std::size(mutated)) {
      mutated[num_mutated++] = const_cast<Tensor*>(static_cast<const Tensor*>(arguments[i].value));
    }
  }
}

Tensor& BoxedCall::returned_argument() {
  if (!stack.empty() && stack.back().isTensor()) {
    for (size_t i = 0; i < num_mutated; ++i)
      if (mutated[i]->is_same(stack.back().toTensor())) return *mutated[i];
  }
  return *mutated[num_mutated - 1];
}

IValue BoxedCall::pop() {
  TORCH_CHECK(!stack.empty(), "a boxed kernel gave back no result");
  IValue v = std::move(stack.back());
  stack.pop_back();
  return v;
}

IValue* BoxedCall::results(size_t count) {
  TORCH_CHECK(stack.size() >= count, "a boxed kernel gave back ", stack.size(),
              " results, expected ", count);
  return stack.data() + (stack.size() - count);
}

}  // namespace at::impl
