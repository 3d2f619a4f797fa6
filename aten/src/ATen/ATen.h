#pragma once
// Everything a C++ program needs: Tensor with its methods, and every operator as a function of
// at::. The library's own files include ATen/ops/NAME.h for what they call instead.

#ifndef TORCH_TENSOR_METHODS
#define TORCH_TENSOR_METHODS
#endif

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

namespace at::detail {
template <typename T, typename = void>
constexpr bool kHasMethods = false;
template <typename T>
constexpr bool kHasMethods<T, decltype(static_cast<void>(&T::relu))> = true;
static_assert(
    kHasMethods<Tensor>,
    "ATen/core/Tensor.h was included without the methods of operators before this header: "
    "include ATen/ATen.h or torch/torch.h first, see Note [Tensor methods]");
}  // namespace at::detail
