#pragma once
// Shared by the interpolation operators.

#include <ATen/core/Tensor.h>
#include <ATen/native/upsample/rule.h>

namespace at::native::upsample {

using Scales = std::initializer_list<std::optional<double>>;

// Resizes [batch, channels, ...] to the output size; scales are those of the caller, if any.
Tensor resize(Mode mode, const char* op, const Tensor& self, IntArrayRef output_size,
              bool align_corners, Scales scales);
Tensor resize_backward(Mode mode, const char* op, const Tensor& grad, IntArrayRef output_size,
                       IntArrayRef input_size, bool align_corners, Scales scales);
// The output size, as requested or from scale factors.
DimVector requested_size(const char* op, const Tensor& input,
                         std::optional<IntArrayRef> output_size,
                         std::optional<ArrayRef<double>> scale_factors, size_t n);
inline std::optional<double> factor(std::optional<ArrayRef<double>> factors, size_t k) {
  return factors ? std::optional<double>((*factors)[k]) : std::nullopt;
}

}  // namespace at::native::upsample
