#pragma once
// Parameters and statistics of normalizations, in the type that is computed in.

#include <ATen/core/Tensor.h>

namespace at::native {

inline ScalarType opmath_type(ScalarType t) { return t == kDouble ? kDouble : kFloat; }
// The tensor in that type and contiguous; undefined stays undefined.
Tensor as_opmath(const Tensor& t, ScalarType input_type);
inline const void* data_or_null(const Tensor& t) { return t.defined() ? t.data_ptr() : nullptr; }
inline Tensor optional_tensor(const std::optional<Tensor>& t) { return t && t->defined() ? *t : Tensor(); }
// A gradient in the type of the parameter it is for.
Tensor as_type_of(const Tensor& gradient, const Tensor& parameter);

}  // namespace at::native
