#pragma once
// The place where programs written for PyTorch include Tensor from.

#include <ATen/core/Tensor.h>
