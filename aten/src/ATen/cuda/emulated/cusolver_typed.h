#pragma once
// The functions of the emulated cuSOLVER that have a form for each type.

#include <ATen/cuda/CusolverApi.h>

namespace at::cuda::cusolver {

template <typename T>
TypedFunctions emulated_functions();  // cusolver_typed.cpp

}  // namespace at::cuda::cusolver
