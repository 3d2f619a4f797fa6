#pragma once
// The names of torch:: for tensors, types, options and operators: what torch/torch.h has, but for
// autograd and the registration of operators.

#include <ATen/ATen.h>
#include <c10/core/SymInt.h>
#include <c10/util/Optional.h>

namespace c10 {
// A dtype is a ScalarType here, where PyTorch has a type beside it.
constexpr ScalarType typeMetaToScalarType(ScalarType t) { return t; }
}  // namespace c10

namespace torch {
using namespace at;   // NOLINT: torch::Tensor, torch::rand, torch::kFloat are the names that
                      // programs use
using std::nullopt;   // NOLINT
using std::optional;  // NOLINT
using Dtype = at::ScalarType;
using c10::AutoGradMode;
using c10::GradMode;
using c10::InferenceMode;
using c10::NoGradGuard;
constexpr auto kU8 = at::kByte, kI8 = at::kChar, kI16 = at::kShort, kI32 = at::kInt,
               kI64 = at::kLong, kF16 = at::kHalf, kF32 = at::kFloat, kF64 = at::kDouble;
}  // namespace torch
