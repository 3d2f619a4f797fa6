#pragma once
// See Note [Tensor methods] in ATen/core/Tensor.h.
#ifndef TORCH_TENSOR_METHODS
#define TORCH_TENSOR_METHODS
#endif

#include <ATen/core/library.h>
