#pragma once
// The place where programs written for PyTorch include TensorIterator from.

#include <ATen/native/common/TensorIterator.h>
