#pragma once
// What a C++ program or extension includes: tensors, operators, autograd, registration of
// operators.

#include <ATen/ATen.h>
#include <ATen/core/library.h>
#include <torch/csrc/autograd/custom_function.h>

namespace torch {
using namespace at;  // NOLINT: torch::Tensor, torch::rand, torch::kFloat are the names that
                     // programs use
using Dtype = at::ScalarType;
using autograd::variable_list;
using c10::AutoGradMode;
using c10::NoGradGuard;
}  // namespace torch
