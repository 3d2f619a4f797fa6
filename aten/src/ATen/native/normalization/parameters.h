#pragma once
// Parameters and statistics of normalizations, converted to the compute type.

#include <initializer_list>
#include <tuple>

#include <ATen/core/Tensor.h>

namespace at::native {

inline ScalarType stats_type(ScalarType t) { return t == kDouble ? kDouble : kFloat; }
// The tensor converted to that type and contiguous; undefined stays undefined.
Tensor as_stats_type(const Tensor& t, ScalarType input_type);
// Checks that parameters and running statistics have the input's type, or are all float32 for an
// input of half the width.
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
// Mean and biased variance of each channel of a tensor that has elements, in its type.
std::tuple<Tensor, Tensor> channel_statistics(const Tensor& input);
// Converts a gradient to the type of its parameter.
Tensor as_type_of(const Tensor& gradient, const Tensor& parameter);

}  // namespace at::native
