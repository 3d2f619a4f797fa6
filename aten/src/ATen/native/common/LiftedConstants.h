#pragma once
// Constants that composite operators make without a dispatch, and that dispatch modes have to see.

#include <ATen/core/Tensor.h>

namespace at {

// The tensor itself; while a Python dispatch mode is on, what the mode makes of a new constant.
Tensor lifted(Tensor t);

}  // namespace at
