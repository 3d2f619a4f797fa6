#pragma once
// Programs written for PyTorch include Tensor from this path.

#include <ATen/core/Tensor.h>
