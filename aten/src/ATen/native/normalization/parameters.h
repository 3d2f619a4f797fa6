#pragma once
// Parameters and statistics of normalizations, in the type that is computed in.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

inline ScalarType stats_type(ScalarType t) { return t == kDouble ? kDouble : kFloat; }
// The tensor in that type and contiguous; undefined stays undefined.
Tensor as_stats_type(const Tensor& t, ScalarType input_type);
// Parameters and running statistics have the input's type, or all float32 beside an input of half
// the width.
inline void check_parameter_types(ScalarType input,
                                  std::initializer_list<const Tensor*> parameters) {
  bool reduced = input == kHalf || input == kBFloat16, same = true, wide = true;
  for (const Tensor* t : parameters) {
    if (!t->defined()) continue;
    same &= t->scalar_type() == input;
    wide &= t->scalar_type() == kFloat;
  }
  TORCH_CHECK(same || (reduced && wide),
              "mixed dtype (CPU): expect parameter to have scalar type of Float, or the input's: ",
              toString(input));
}
// A gradient in the type of the parameter it is for.
Tensor as_type_of(const Tensor& gradient, const Tensor& parameter);

}  // namespace at::native
