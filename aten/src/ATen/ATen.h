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
