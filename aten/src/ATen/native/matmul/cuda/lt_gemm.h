#pragma once
// Products of matrices by cuBLASLt, which adds a bias, applies an activation and scales in the same
// pass. What its heuristic chooses is kept for each shape, type and layout.

#include <ATen/native/common/Gemm.h>

namespace at::native {

enum class LtActivation { none, relu, gelu };  // gelu: by the hyperbolic tangent

// C = activation(alpha * (A scale_a) (B scale_b) + beta * C + bias).
struct LtGemm {
  GemmArgs gemm;               // row-major; its type is that of C
  ScalarType type_a, type_b;   // of the factors
  const void* bias = nullptr;  // a number for each column of C, or null
  ScalarType bias_type = kFloat;
  LtActivation activation = LtActivation::none;  // other than none: with a bias
  // float8 only: one number, or one for each row of A and for each column of B.
  const void *scale_a = nullptr, *scale_b = nullptr;
  bool scales_rows = false, fast_accumulation = false;
  // Several products, these numbers of elements apart.
  int64_t count = 1, step_a = 0, step_b = 0, step_c = 0;

  explicit LtGemm(const GemmArgs& args) : gemm(args), type_a(args.dtype), type_b(args.dtype) {}
};

// On the current device and stream. Returns false if cuBLASLt has no algorithm for it; C is written
// otherwise.
bool lt_gemm(const LtGemm& args);

}  // namespace at::native
