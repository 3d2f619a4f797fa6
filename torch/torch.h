#pragma once
// What a C++ program or extension includes: tensors, operators, autograd, registration of
// operators.

#include <torch/types.h>

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/library.h>
#include <torch/version.h>

namespace torch {
using autograd::variable_list;
}  // namespace torch
