// Products with weights in 4 bits, two in a byte: the lower one is of the even column. A weight q
// stands for (q - 8) * scale + zero, with a scale and a zero for each group of columns of a row.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/low_bit_weights.h>
#include <ATen/ops/_convert_weight_to_int4pack_for_cpu_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_weight_int4pack_mm_for_cpu_native.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

Tensor _convert_weight_to_int4pack_for_cpu(const Tensor& self, int64_t) {
  const char* op = "_convert_weight_to_int4pack_for_cpu";
  TORCH_CHECK(self.scalar_type() == kInt, op, ": the weight must be int32, but it is ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(self.dim() == 2 && self.size(0) % 16 == 0 && self.size(1) % 2 == 0, op,
              ": the weight must have 2 dimensions, the rows divisible by 16 and the columns by 2, "
              "but its shape is ",
              self.sizes());
  const Tensor pairs =
      at::bitwise_and(at::reshape(self, {self.size(0), self.size(1) / 2, 2}), Scalar(15));
  const Tensor packed = at::select(pairs, 2, 0) + at::select(pairs, 2, 1) * Scalar(16);
  return at::_to_copy(packed, TensorOptions(kByte));
}

Tensor _weight_int4pack_mm_for_cpu(const Tensor& self, const Tensor& mat2, int64_t qGroupSize,
                                   const Tensor& qScaleAndZeros) {
  const char* op = "_weight_int4pack_mm_for_cpu";
  const ScalarType type = self.scalar_type();
  TORCH_CHECK(type == kFloat || type == kHalf || type == kBFloat16, op,
              ": the input must be float32, float16 or bfloat16, but it is ", dtypeName(type));
  TORCH_CHECK(self.dim() == 2, op, ": the input must have 2 dimensions, but its shape is ",
              self.sizes());
  TORCH_CHECK(mat2.scalar_type() == kByte, op, ": the packed weight must be uint8, but it is ",
              dtypeName(mat2.scalar_type()));
  const int64_t n = mat2.dim() == 2 ? mat2.size(0) : 0, k = self.size(1);
  TORCH_CHECK(mat2.dim() == 2 && mat2.size(1) * 2 == k, op, ": the packed weight must have ", k,
              " / 2 columns, but its shape is ", mat2.sizes());
  TORCH_CHECK(qGroupSize == 32 || qGroupSize == 64 || qGroupSize == 128 || qGroupSize == 256, op,
              ": qGroupSize must be 32, 64, 128 or 256, but it is ", qGroupSize);
  const Tensor& s = qScaleAndZeros;
  TORCH_CHECK(k % qGroupSize == 0 && s.dim() == 3 && s.size(0) == k / qGroupSize &&
                  s.size(1) == n && s.size(2) == 2,
              op, ": qScaleAndZeros must have the shape (", k, " / ", qGroupSize, ", ", n,
              ", 2), but it has ", s.sizes());
  TORCH_CHECK(s.scalar_type() == type, op, ": qScaleAndZeros must be ", dtypeName(type),
              " as the input, but it is ", dtypeName(s.scalar_type()));
  if (auto product = low_bit_product(self, mat2, s, qGroupSize)) return *std::move(product);
  const Tensor pairs[] = {at::bitwise_and(mat2, Scalar(15)),
                          at::bitwise_right_shift(mat2, Scalar(4))};
  const Tensor levels = at::_to_copy(at::stack(pairs, 2), TensorOptions(kFloat)) - Scalar(8);
  const Tensor groups = at::reshape(levels, {n, k / qGroupSize, qGroupSize});
  // [group, row, scale or zero] as [row, group, scale or zero].
  const Tensor ranges = at::permute(at::_to_copy(s, TensorOptions(kFloat)), {1, 0, 2});
  const Tensor weight = groups * at::unsqueeze(at::select(ranges, 2, 0), 2) +
                        at::unsqueeze(at::select(ranges, 2, 1), 2);
  const Tensor product =
      at::mm(at::_to_copy(self, TensorOptions(kFloat)), at::t(at::reshape(weight, {n, k})));
  return at::_to_copy(product, TensorOptions(type));
}

}  // namespace at::native
