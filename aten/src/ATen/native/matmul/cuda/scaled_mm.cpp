// Products of float8 matrices on CUDA devices: by cuBLASLt, in float where it has no algorithm.

#include <ATen/Context.h>
#include <ATen/native/common/MatrixOperands.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/cuda/lt_gemm.h>
#include <ATen/ops/_scaled_mm_native.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

bool is_float8(const Tensor& t) {
  return t.scalar_type() == ScalarType::Float8_e4m3fn || t.scalar_type() == ScalarType::Float8_e5m2;
}
bool is_wide(ScalarType dtype) { return dtype == kFloat || dtype == kHalf || dtype == kBFloat16; }
// float32 scales: one number each, or one for each row of the first and column of the second.
bool are_numbers(const Tensor& scale_a, const Tensor& scale_b) {
  return scale_a.numel() == 1 && scale_b.numel() == 1;
}
bool are_lines(const Tensor& scale_a, const Tensor& scale_b, int64_t rows, int64_t columns) {
  const int64_t a[] = {rows, 1}, b[] = {1, columns};
  return scale_a.sizes() == IntArrayRef(a) && scale_b.sizes() == IntArrayRef(b) &&
         scale_a.is_contiguous() && scale_b.is_contiguous();
}

}  // namespace

Tensor _scaled_mm_cuda(const Tensor& self, const Tensor& mat2, const Tensor& scale_a,
                       const Tensor& scale_b, const std::optional<Tensor>& bias,
                       const std::optional<Tensor>& scale_result,
                       std::optional<ScalarType> out_dtype, bool use_fast_accum) {
  const Tensor& added = value_or_undefined(bias);
  const ScalarType dtype = out_dtype.value_or(self.scalar_type());
  auto in_float = [&] {
    return native::_scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype,
                              use_fast_accum);
  };
  // What is wrong is refused there too.
  if (globalContext().preferredBlas() == BlasBackend::cublas || !is_float8(self) ||
      !is_float8(mat2) || !is_wide(dtype) || self.dim() != 2 || mat2.dim() != 2 ||
      self.sizes()[1] != mat2.sizes()[0] || self.numel() == 0 || mat2.numel() == 0)
    return in_float();
  const int64_t rows = self.sizes()[0], columns = mat2.sizes()[1];
  const bool one_number = are_numbers(scale_a, scale_b);
  for (const Tensor* t : {&mat2, &scale_a, &scale_b})
    if (t->device() != self.device()) return in_float();
  if (scale_a.scalar_type() != kFloat || scale_b.scalar_type() != kFloat ||
      !(one_number || are_lines(scale_a, scale_b, rows, columns)))
    return in_float();
  if (added.defined() &&
      (added.dim() != 1 || added.sizes()[0] != columns || !added.is_contiguous() ||
       added.device() != self.device() || dtype == kFloat || added.scalar_type() != dtype))
    return in_float();
  const c10::OptionalDeviceGuard guard(self.device());
  Tensor out = empty_tensor({rows, columns}, dtype, self.device());
  bool is_done = false;
  product_into(out, self, mat2, {1, 0}, {0, 0}, [&](const GemmArgs& g) {
    LtGemm args(g);
    args.type_a = self.scalar_type();
    args.type_b = mat2.scalar_type();
    args.scale_a = scale_a.data_ptr();
    args.scale_b = scale_b.data_ptr();
    args.scales_rows = !one_number;
    args.fast_accumulation = use_fast_accum;
    if (added.defined()) {
      args.bias = added.data_ptr();
      args.bias_type = dtype;
    }
    is_done = lt_gemm(args);
  });
  return is_done ? out : in_float();
}

}  // namespace at::native
