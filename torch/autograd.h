#pragma once
// See Note [Tensor methods] in ATen/core/Tensor.h.
#ifndef TORCH_TENSOR_METHODS
#define TORCH_TENSOR_METHODS
#endif

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
