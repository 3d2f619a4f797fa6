// Result types of operators, and conversion of single elements.

#include <ATen/native/common/TypePromotion.h>

#include <ATen/native/common/BoolBytes.h>
#include <ATen/native/common/TypeDispatch.h>

namespace at::native {

ScalarType ResultTypeState::promote(ScalarType a, ScalarType b) {
  if (isUndefined(a)) return b;
  return isUndefined(b) ? a : promoteTypes(a, b);
}

ScalarType ResultTypeState::number_type(ScalarType t) {
  if (isComplexType(t)) return get_default_complex_dtype();
  return isFloatingType(t) ? get_default_dtype() : t;
}

static int kind(ScalarType t) {
  return isComplexType(t) ? 3 : isFloatingType(t) ? 2 : t == kBool ? 0 : 1;
}

ScalarType ResultTypeState::combine(ScalarType higher, ScalarType lower) {
  if (isUndefined(higher)) return lower;
  if (isUndefined(lower) || kind(higher) >= kind(lower)) return higher;
  if (isFloatingType(higher)) return toComplexType(higher);
  return promoteTypes(higher, lower);
}

void ResultTypeState::add(const TensorImpl& t) {
  ScalarType dtype = t.dtype();
  if (t.is_wrapped_number()) {
    wrapped_ = promote(wrapped_, number_type(dtype));
  } else if (t.dim() == 0) {
    zero_ = promote(zero_, dtype);
  } else {
    dim_ = promote(dim_, dtype);
  }
}

void check_factor(const char* op, const char* name, const Scalar& factor, ScalarType result) {
  TORCH_CHECK(!factor.isBoolean() || result == kBool, op, ": Boolean ", name,
              " only supported for Boolean results, which are ", toString(result), " here.");
  TORCH_CHECK(isFloatingType(result) || isComplexType(result) || factor.isIntegral(true), op,
              ": For integral input tensors, argument ", name,
              " must not be a floating point number, got ", factor.str());
  TORCH_CHECK(isComplexType(result) || !factor.isComplex(), op,
              ": For non-complex input tensors, argument ", name,
              " must not be a complex number, got ", factor.str());
}

Scalar read_element(ScalarType dtype, const void* element) {
  Scalar value;
  dispatch_types<AllTypes>(dtype, "item", [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>) value = Scalar(is_true(element, 0));
    else value = Scalar(*static_cast<const T*>(element));
  });
  return value;
}

void convert_element(ScalarType from, const void* source, ScalarType to, void* destination) {
  const Scalar value = read_element(from, source);
  dispatch_types<AllTypes>(to, "convert", [&]<typename T>(TypeTag<T>) {
    *static_cast<T*>(destination) = value.cast<T>();
  });
}

}  // namespace at::native

namespace at {

ScalarType result_type(TensorList tensors) {
  native::ResultTypeState state;
  for (const Tensor& t : tensors) state.add(*t.unsafeGetTensorImpl());
  return state.result();
}

}  // namespace at
