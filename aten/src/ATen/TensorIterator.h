#pragma once
// Programs written for PyTorch include TensorIterator from this path.

#include <ATen/native/common/TensorIterator.h>
